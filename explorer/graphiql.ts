import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import { GraphiQL, type GraphiQLProps } from 'graphiql';
import { getOperationAST } from 'graphql';
import { createClient } from 'graphql-sse';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import type { ExplorerSetup } from '../src/operation/explorer-page.ts';
import { storage } from './storage.ts';

/** Shows GraphiQL in `room`. */
export function showGraphiql(
  room: HTMLElement,
  endpoint: string,
  setup: ExplorerSetup,
): void {
  createRoot(room).render(
    createElement(GraphiQL, {
      fetcher: createFetcher(endpoint),
      storage,
      defaultQuery: setup.document,
      defaultHeaders: JSON.stringify(setup.headers, null, 2),
      defaultEditorToolsVisibility: 'headers',
    }),
  );
}

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
