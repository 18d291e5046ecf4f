import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Server as NetServer } from 'node:net';
import type { Logger } from 'pino';
import { BodyError } from './body.ts';
import { type CorsOrigins, toCorsHeaders } from './cors.ts';
import { createDrain, type Drain } from './drain.ts';
import { answerUnread, toGeneralAnswer, toRefusal } from './error-responses.ts';
import type { Exchange } from './exchange.ts';
import { loadExplorerFiles } from './explorer-files.ts';
import { inOrder } from './in-order.ts';
import { createIncoming } from './incoming.ts';
import { MAX_BODY_BYTES, MAX_INCOMING_BYTES, REQUEST_TIMEOUT_MS } from './limits.ts';
import { type ListenOptions, listen } from './listen.ts';
import { acceptInTurns } from './read-in-turns.ts';
import { toRequestId } from './request-id.ts';
import { createFindRoute, type Route, type RoutesOptions } from './routes.ts';
import { createSend } from './send-answer.ts';
import { createTogether } from './send-together.ts';
import { createSendings, type SendingBounds } from './sendings.ts';
import { serveSockets } from './socket/sockets.ts';

export interface ServerOptions
  extends Omit<RoutesOptions, 'drain' | 'explorerFiles' | 'incoming'>,
    Omit<SendingBounds, 'onSlow'> {
  readonly corsOrigins: CorsOrigins;
  /** WebSockets of all callers. One may have four fifths of them. */
  readonly maxSockets: number;
  readonly log: Logger;
}

export interface GatewayServer {
  readonly server: Server;
  /** Answers one request. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly listen: (address: ListenOptions) => Promise<void>;
  readonly drain: Drain;
}

/** How often Node checks for requests that take too long. Unit: milliseconds. */
const CONNECTIONS_CHECK_MS = 5000;
/** Load balancers keep connections for a minute, and must not send a request while one is closed. Unit: milliseconds. */
const KEEP_ALIVE_MS = 72_000;

/** Makes the server between connections and operations. It does not listen yet. */
export async function createServer(options: ServerOptions): Promise<GatewayServer> {
  const { metrics, log, servesExplorer } = options;
  const count = (route: string, status: number) => metrics?.countResponse(route, status);
  const failed = (requestId: string, error: unknown) => {
    const { code, name = typeof error } = error as NodeJS.ErrnoException;
    log.error({ requestId, error: code ?? name }, 'internal server error');
  };
  const server = createHttpServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node grants a request the longer of the two timeouts, and the default of this one is 60 seconds.
    headersTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
  });
  acceptInTurns(server);
  const incoming = createIncoming(options.callerOf, MAX_INCOMING_BYTES);
  const together = createTogether();
  const sendings = createSendings({
    ...options,
    onSlow(client) {
      metrics?.countSlowClient(client.reason);
      log.warn(client, 'a client was disconnected: it did not read its answer');
    },
  });
  const further: NetServer[] = [];
  const close = async () => {
    for (const one of further) one.close();
    await new Promise((resolve) => server.close(resolve));
    sendings.stop();
  };
  const closeAllConnections = () => server.closeAllConnections();
  const drain = createDrain({ close, closeAllConnections }, options.streams);
  const explorerFiles = servesExplorer ? await loadExplorerFiles() : null;
  if (servesExplorer && explorerFiles === null)
    log.warn('the explorer has no files: "npm run build:explorer" makes them');
  const findRoute = createFindRoute({ ...options, drain, explorerFiles, incoming });
  const send = createSend({
    corsHeaders: toCorsHeaders(options.corsOrigins),
    isDraining: drain.isDraining,
    sendings,
    together,
    count,
    failed,
  });
  const turnOf = inOrder(incoming);

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const turn = turnOf(request, response);
    if (turn === undefined) void answer(request, response);
    else void turn.then(() => answer(request, response));
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const exchange: Exchange = { id: toRequestId(request), request, response };
    let route: Route | null = null;
    try {
      route = findRoute(request);
      const answer = toGeneralAnswer(request) ?? (await route.handle(exchange));
      send(exchange, answer, route.name);
    } catch (error) {
      // The client has left.
      if (response.closed) return;
      const isRefused = error instanceof BodyError;
      if (!isRefused) failed(exchange.id, error);
      const refusal = toRefusal(isRefused ? error.statusCode : 500);
      send(exchange, refusal, route?.name ?? 'none');
    }
  }

  server.on('request', handle);
  answerUnread(server, (status) => count('none', status), together.sendNow);
  serveSockets(server, {
    ...options,
    incoming,
    sendings,
    maxMessageBytes: MAX_BODY_BYTES,
    count: (status) => count('/graphql', status),
  });
  return {
    server,
    handle,
    async listen(address) {
      further.push(...(await listen(server, address)));
    },
    drain,
  };
}
