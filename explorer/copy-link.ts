import { ToolbarButton, useGraphiQL } from '@graphiql/react';
import { createElement } from 'react';

/** A button that makes a link to the operation and its variables, without the headers. */
export function CopyLink() {
  const { queryEditor, variableEditor } = useGraphiQL((state) => ({
    queryEditor: state.queryEditor,
    variableEditor: state.variableEditor,
  }));
  return createElement(
    ToolbarButton,
    {
      label: 'Copy a link to this operation',
      onClick: () => {
        const link = new URL(location.pathname, location.origin);
        link.searchParams.set('query', queryEditor?.getValue() ?? '');
        const variables = variableEditor?.getValue();
        if (variables) link.searchParams.set('variables', variables);
        // In the address bar too: browsers have a clipboard for HTTPS and for the own machine alone.
        history.replaceState(null, '', link);
        navigator.clipboard?.writeText(link.href).catch(() => {});
      },
    },
    createElement(
      'svg',
      { className: 'graphiql-toolbar-icon', viewBox: '0 0 24 24', 'aria-hidden': true },
      createElement('path', {
        d: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-2 2m3 3a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l2-2',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
      }),
    ),
  );
}
