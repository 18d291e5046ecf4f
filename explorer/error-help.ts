import { useGraphiQL } from '@graphiql/react';
import { createElement, useEffect, useState } from 'react';
import page from '../docs/errors.md?raw';

/** What docs/errors.md says of each code: what it means, and what to do. */
const HELP = new Map(
  Array.from(
    page.matchAll(/^\| `([A-Z_]+)` \| (.*) \| (.*) \|$/gm),
    ([, code = '', means = '', todo = '']) => [code, [toPlain(means), toPlain(todo)]],
  ),
);

/** Without Markdown, and without its links, because the gateway serves no other page. */
function toPlain(text: string): string {
  return text
    .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
}

/** Explains the codes of the errors in the answer that is shown. */
export function ErrorHelp() {
  const editor = useGraphiQL((state) => state.responseEditor);
  const [answer, setAnswer] = useState('');
  useEffect(() => {
    const listening = editor?.onDidChangeModelContent(() => setAnswer(editor.getValue()));
    return () => listening?.dispose();
  }, [editor]);
  const codes = new Set(
    Array.from(answer.matchAll(/"code": "([A-Z_]+)"/g), ([, code = '']) => code),
  );
  return Array.from(codes, (code) => {
    const [means, todo] = HELP.get(code) ?? [];
    if (means === undefined) return null;
    const text = `: ${means}. What to do: ${todo}. (docs/errors.md)`;
    return createElement('p', { key: code }, createElement('code', null, code), text);
  });
}
