import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './graphiql.css';
import { GraphiQL, type GraphiQLProps } from 'graphiql';
import { getOperationAST } from 'graphql';
import { createClient } from 'graphql-sse';
import { createElement, Fragment, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import type { ExplorerSetup } from '../src/operation/explorer-page.ts';
import { CopyLink } from './copy-link.ts';
import { ErrorHelp } from './error-help.ts';
import { sharedOperation } from './shared-operation.ts';
import { storage } from './storage.ts';

/** Shows GraphiQL in `room`. */
export function showGraphiql(
  room: HTMLElement,
  endpoint: string,
  setup: ExplorerSetup,
): void {
  const headers = JSON.stringify(setup.headers, null, 2);
  const examples = setup.operations.map(({ document, variables }) => ({
    query: document,
    variables: JSON.stringify(variables, null, 2),
    headers,
  }));
  const shared = sharedOperation();
  const tabs = shared ? [{ ...shared, headers }, ...examples] : examples;
  /** Given both, GraphiQL fills the editors of the first tab, and finds the tab of before after a reload. */
  const inEditor = (part: 'query' | 'variables'): string =>
    shared?.[part] ?? storage.getItem(`graphiql:${part}`) ?? tabs[0]?.[part] ?? '';
  createRoot(room).render(
    createElement(
      GraphiQL,
      {
        fetcher: createFetcher(endpoint),
        storage,
        defaultTabs: tabs,
        defaultHeaders: headers,
        defaultEditorToolsVisibility: 'headers',
        initialQuery: inEditor('query'),
        initialVariables: inEditor('variables'),
      },
      createElement(GraphiQL.Toolbar, TOOLBAR),
      createElement(GraphiQL.Footer, null, createElement(ErrorHelp)),
    ),
  );
}

/** GraphiQL's own buttons, and one more. */
const TOOLBAR = {
  children: (own: Readonly<Record<'prettify' | 'merge' | 'copy', ReactNode>>) =>
    createElement(
      Fragment,
      null,
      own.prettify,
      own.merge,
      own.copy,
      createElement(CopyLink),
    ),
};

/**
 * Subscriptions come as server-sent events: unlike a WebSocket, these carry all headers of the editor, and whatever passes on
 * the other operations passes them on too.
 */
const createFetcher =
  (endpoint: string): GraphiQLProps['fetcher'] =>
  async (operation, { headers = {}, documentAST } = {}) => {
    const asked = documentAST && getOperationAST(documentAST, operation.operationName);
    if (asked?.operation === 'subscription') {
      const { operationName: name, ...rest } = operation;
      const request = name == null ? rest : { ...rest, operationName: name };
      return createClient({ url: endpoint, headers }).iterate(request);
    }
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(operation),
    });
    return response.json();
  };
