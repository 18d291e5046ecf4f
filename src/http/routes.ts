import type { IncomingMessage } from 'node:http';
import { BodyError } from './body.ts';
import type { HttpContext } from './context.ts';
import { toRefusal } from './error-responses.ts';
import { type Answer, type Exchange, toJsonAnswer } from './exchange.ts';
import { createGraphqlRoute } from './graphql-route.ts';

export const GRAPHQL_PATH = '/graphql';

export interface Route {
  /** For the metrics: it is not the client's text. */
  readonly name: string;
  readonly handle: (exchange: Exchange) => Answer | Promise<Answer>;
}

const NOWHERE: Route = { name: 'none', handle: () => toRefusal(404) };
/** Next to /graphql and to /graphql/, because the page names its script by a relative address. */
const EXPLORER_FILE = /^((?:\/graphql)?\/explorer)\/([^/]+)$/;

/** Makes what finds the route of a request; that throws BodyError if the address is malformed. */
export function createFindRoute(context: HttpContext) {
  const { drain, metrics, servesExplorer, explorerFiles, readiness } = context;
  const graphql = { name: GRAPHQL_PATH, handle: createGraphqlRoute(context) };
  const pages = new Map<string, Route['handle']>([
    ['/healthz', () => toJsonAnswer(200, { status: 'ok' })],
    [
      '/readyz',
      () =>
        drain.isDraining()
          ? toJsonAnswer(503, { status: 'draining' })
          : toJsonAnswer(200, { status: 'ready', ...readiness() }),
    ],
  ]);
  if (metrics !== null) {
    const headers = [['content-type', metrics.contentType]] as const;
    pages.set('/metrics', async () => {
      return { status: 200, headers, body: await metrics.text(), isForOperators: true };
    });
  }
  if (servesExplorer) {
    const headers = [['location', GRAPHQL_PATH]] as const;
    pages.set('/', () => ({ status: 302, headers, body: '' }));
  }

  function findPage(path: string): Route {
    const page = pages.get(path);
    if (page !== undefined) return { name: path, handle: page };
    const [, folder, name = ''] = EXPLORER_FILE.exec(path) ?? [];
    if (folder === undefined || explorerFiles === null) return NOWHERE;
    return {
      name: `${folder}/:name`,
      handle: ({ request: { headers } }) =>
        explorerFiles(name, headers['accept-encoding']) ?? toRefusal(404),
    };
  }

  return ({ method, url = '' }: IncomingMessage): Route => {
    // Most requests have this one.
    const path = url === GRAPHQL_PATH ? url : toPath(url);
    if (path === GRAPHQL_PATH) return graphql;
    if (path === null) throw new BodyError(400);
    return method === 'GET' || method === 'HEAD' ? findPage(path) : NOWHERE;
  };
}

/** The path of an address, without a slash at its end; null if it is malformed. */
export function toPath(url: string): string | null {
  try {
    const [path = ''] = url.startsWith('/')
      ? url.split(/[?#]/, 1)
      : [new URL(url).pathname];
    const decoded = decodeURI(path);
    return decoded.length > 1 && decoded.endsWith('/') ? decoded.slice(0, -1) : decoded;
  } catch {
    return null;
  }
}
