import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import { GraphiQL, type GraphiQLProps } from 'graphiql';
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
  const fetcher: GraphiQLProps['fetcher'] = async (operation, options) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...options?.headers },
      body: JSON.stringify(operation),
    });
    return response.json();
  };
  createRoot(room).render(
    createElement(GraphiQL, {
      fetcher,
      storage,
      defaultQuery: setup.document,
      defaultHeaders: JSON.stringify(setup.headers, null, 2),
      defaultEditorToolsVisibility: 'headers',
    }),
  );
}
