import type { ExplorerSetup } from '../src/operation/explorer-page.ts';
import { showSandbox } from './sandbox.ts';

/** The script of the page at /graphql: Apollo Sandbox if it can be loaded and is wanted, else GraphiQL. */

const room = document.getElementById('explorer') as HTMLElement;
const setup: ExplorerSetup = JSON.parse(
  document.getElementById('setup')?.textContent ?? '',
);
room.innerHTML = '<p>Loading ...</p>';
const endpoint = location.origin + location.pathname;

if (!setup.sandbox || !(await showSandbox(room, endpoint, setup))) {
  const { showGraphiql } = await import('./graphiql.ts');
  showGraphiql(room, endpoint, setup);
}
