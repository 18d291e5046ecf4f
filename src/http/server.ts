import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Server as NetServer } from 'node:net';
import { BodyError, type ReplacedBody } from './body.ts';
import type { HttpContext, ServerOptions } from './context.ts';
import { toRequestId } from './credentials.ts';
import { createDrain } from './drain.ts';
import { answerUnread, toGeneralAnswer, toRefusal } from './error-responses.ts';
import type { Answer, Exchange } from './exchange.ts';
import { createIncoming } from './incoming.ts';
import { MAX_INCOMING_BYTES, REQUEST_TIMEOUT_MS } from './limits.ts';
import { type ListenOptions, listen } from './listen.ts';
import { CountedRequest, limitPipelining } from './pipelining.ts';
import { takeFromParser } from './read-parts.ts';
import { acceptInTurns, isReading } from './read-turns.ts';
import { createFindRoute, GRAPHQL_PATH, type Route } from './routes.ts';
import { createSender } from './send-answer.ts';
import { createSlowClientGuard } from './slow-clients.ts';
import { serveSockets } from './socket/sockets.ts';

export type GatewayServer = ReturnType<typeof createServer>;

/** How often Node checks for requests that take too long. Unit: milliseconds. */
const CONNECTIONS_CHECK_MS = 5000;
/** Load balancers keep connections for a minute, and must not send a request while one is closed. Unit: milliseconds. */
const KEEP_ALIVE_MS = 72_000;

/** Makes the server between connections and operations. It does not listen yet. */
export function createServer(options: ServerOptions) {
  const { metrics, log } = options;
  const server = createHttpServer({
    IncomingMessage: CountedRequest,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node grants a request the longer of the two timeouts, and the default of this one is 60 seconds.
    headersTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
    // Some clients always offer another protocol, such as `h2c`. Their requests are served as if they did not.
    shouldUpgradeCallback: ({ headers }) =>
      headers.upgrade?.toLowerCase() === 'websocket',
  });
  const incoming = createIncoming(options.callerOf, MAX_INCOMING_BYTES);
  const slowClients = createSlowClientGuard({
    maxSendingBytes: options.maxSendingBytes,
    onSlow(client) {
      metrics?.countSlowClient(client.reason);
      log.warn(client, 'a client was disconnected: it did not read its answer');
    },
  });
  const further: NetServer[] = [];
  const close = async () => {
    for (const one of further) one.close();
    await new Promise((resolve) => server.close(resolve));
    slowClients.stop();
  };
  const closeAllConnections = () => server.closeAllConnections();
  const closing = { close, closeAllConnections, isReading };
  const drain = createDrain(closing, options.streams);
  acceptInTurns(server, incoming, drain.isDraining);
  const context: HttpContext = {
    ...options,
    incoming,
    slowClients,
    drain,
    count: (route, status) => metrics?.countResponse(route, status),
    failed(requestId, error) {
      const { code, name = typeof error } = error as NodeJS.ErrnoException;
      log.error({ requestId, error: code ?? name }, 'internal server error');
    },
  };
  const findRoute = createFindRoute(context);
  const { send } = createSender(context);

  /** Answers one request, over a connection of this server or of another one. */
  function handle(
    request: IncomingMessage,
    response: ServerResponse,
    replacedBody: ReplacedBody | null = null,
  ): void {
    // Its chunks may have a byte each, whether its body is read or not.
    if (request.headers['transfer-encoding'] !== undefined)
      takeFromParser(request.socket);
    const begin = () => answer(toExchange(request, response, replacedBody));
    const turn = limitPipelining(incoming, request, response, options.forwardHeaders);
    if (turn === undefined) void begin();
    else void turn.then(begin);
  }

  async function answer(exchange: Exchange): Promise<void> {
    const { id, request, response } = exchange;
    let route: Route | null = null;
    try {
      route = findRoute(request);
      const answer = toGeneralAnswer(request) ?? (await route.handle(exchange));
      send(exchange, answer, route.name);
    } catch (error) {
      // The client has left.
      if (response.closed) return;
      const isRefused = error instanceof BodyError;
      if (!isRefused) context.failed(id, error);
      const refusal = toRefusal(isRefused ? error.statusCode : 500);
      send(exchange, refusal, route?.name ?? 'none');
    }
  }

  server.on('request', handle);
  answerUnread(server, (status) => context.count('none', status));
  serveSockets(server, context);
  return {
    server,
    handle,
    /** Answers a request for GraphQL without its route. */
    reply: (request: IncomingMessage, response: ServerResponse, answer: Answer): void =>
      send(toExchange(request, response), answer, GRAPHQL_PATH),
    async listen(address: ListenOptions): Promise<void> {
      further.push(...(await listen(server, address)));
    },
    drain,
  };
}

const toExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  replacedBody: ReplacedBody | null = null,
): Exchange => ({ id: toRequestId(request), request, replacedBody, response });
