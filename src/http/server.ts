import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import type { Logger } from 'pino';
import type { CallerOf } from '../rest/caller-id.ts';
import { compressAnswers } from './compression.ts';
import { allowOrigins, type CorsOrigins } from './cors.ts';
import { createDrain, type Drain } from './drain.ts';
import {
  answerClientErrors,
  answerRequestErrors,
  answerUnfitRequests,
  refuse,
} from './error-responses.ts';
import { addExplorerFiles } from './explorer-files.ts';
import { type GraphqlOptions, graphqlHandler } from './graphql-route.ts';
import { toHeaders } from './headers.ts';
import { inOrder } from './in-order.ts';
import { createIncoming } from './incoming.ts';
import { type HoldRequest, readJsonBodies } from './json-body.ts';
import {
  MAX_BODY_BYTES,
  MAX_DROPPED_BYTES,
  MAX_INCOMING_BYTES,
  REQUEST_TIMEOUT_MS,
} from './limits.ts';
import { addMetrics, type MetricsPage } from './metrics.ts';
import { GRAPHQL_PATH } from './mount.ts';
import { acceptInTurns } from './read-in-turns.ts';
import { toRequestId } from './request-id.ts';
import { createTogether, sendTogether } from './send-together.ts';
import { boundSending } from './sending.ts';
import { createSendings, type SendingBounds } from './sendings.ts';
import { answerShortPosts, CLOSE, type HandedOvers } from './short-posts.ts';
import { serveSockets } from './socket/sockets.ts';

export interface ServerOptions extends GraphqlOptions, Omit<SendingBounds, 'onSlow'> {
  readonly corsOrigins: CorsOrigins;
  /** WebSockets of all callers. One may have four fifths of them. */
  readonly maxSockets: number;
  readonly log: Logger;
  readonly holdRequest: HoldRequest;
  readonly callerOf: CallerOf;
  /** Null: /metrics is not served. */
  readonly metrics: MetricsPage | null;
  /** Whether a browser gets a page at /graphql. */
  readonly servesExplorer: boolean;
  /** What the process has learned of the service, as JSON. */
  readonly learned: () => readonly object[];
}

export interface GatewayServer {
  readonly app: FastifyInstance;
  readonly drain: Drain;
}

/** How often Node checks for requests that take too long. Unit: milliseconds. */
const CONNECTIONS_CHECK_MS = 5000;

/**
 * The HTTP server with everything around /graphql: CORS, compression, the body limit, health, and a graceful stop. It does
 * not listen yet.
 */
export async function createServer(options: ServerOptions): Promise<GatewayServer> {
  const handedOver: HandedOvers = new WeakMap();
  const together = createTogether();
  const count = (status: number) => options.metrics?.countResponse('none', status);
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { ignoreTrailingSlash: true },
    // Node grants a request the longer of the two timeouts, and the default of this one is 60 seconds.
    http: {
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      requireHostHeader: false,
    },
    genReqId: (request) => handedOver.get(request)?.id ?? toRequestId(request),
    frameworkErrors: (_error, request, reply) =>
      refuse(reply.headers(toHeaders(request.id)), 400),
    clientErrorHandler: answerClientErrors(count, together.sendNow),
    // A draining gateway still answers requests that arrive over open connections.
    return503OnClosing: false,
  });
  acceptInTurns(app.server);
  const incoming = createIncoming(options.callerOf, MAX_INCOMING_BYTES);
  const turnOf = inOrder(incoming);
  // Only JSON, because other sites can send forms and plain text without a preflight request.
  readJsonBodies(app, { ...options, incoming });
  // In the last hook, because Apollo sets a `cache-control` of its own on some answers.
  // With `done`, here and in the other hooks, because an async hook would cost more than its work.
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(toHeaders(request.id));
    if (isStillComing(request)) reply.headers(CLOSE);
    done(null, payload);
  });
  sendTogether(app, together);
  app.addHook('onRequest', ({ raw: request }, { raw: response }, done) => {
    const turn = turnOf(request, response);
    if (turn === undefined) done();
    else void turn.then(() => done());
  });
  answerUnfitRequests(app, count);
  // Before compression, which takes the parts of a long answer as the client reads them.
  const sendings = createSendings({
    ...options,
    onSlow(client) {
      options.metrics?.countSlowClient(client.reason);
      options.log.warn(client, 'a client was disconnected: it did not read its answer');
    },
  });
  boundSending(app, sendings);
  await allowOrigins(app, options.corsOrigins);
  await compressAnswers(app);
  answerRequestErrors(app, options.log);
  if (options.metrics !== null) addMetrics(app, options.metrics);
  if (options.servesExplorer) await addExplorer(app, options.log);

  const drain = createDrain(app, options.streams);
  addRoutes(app, { ...options, drain, handedOver });
  answerShortPosts(app, {
    ...options,
    handedOver,
    drain,
    inOrder: turnOf,
    incoming,
    sendings,
    together,
  });
  serveSockets(app, {
    ...options,
    incoming,
    sendings,
    maxMessageBytes: MAX_BODY_BYTES,
    count: (status) => options.metrics?.countResponse('/graphql', status),
  });
  return { app, drain };
}

/**
 * Whether so much of a body that is not read may still come that its connection is closed. Otherwise Node reads the rest of
 * the request: a client that still sends could lose its answer, and a proxy would count that as a failure of the gateway.
 */
const isStillComing = ({ raw: { complete, headers } }: FastifyRequest): boolean =>
  !complete &&
  (headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length']) > MAX_DROPPED_BYTES);

async function addExplorer(app: FastifyInstance, log: Logger): Promise<void> {
  app.get('/', (_request, reply) => reply.redirect(GRAPHQL_PATH));
  if ((await addExplorerFiles(app)) > 0) return;
  log.warn('the explorer has no files: "npm run build:explorer" makes them');
}

interface RouteOptions extends GraphqlOptions, Pick<ServerOptions, 'learned'> {
  readonly drain: Drain;
  readonly handedOver: HandedOvers;
}

function addRoutes(
  app: FastifyInstance,
  { drain, handedOver, ...options }: RouteOptions,
): void {
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', (_request, reply) =>
    drain.isDraining()
      ? reply.code(503).send({ status: 'draining' })
      : reply.send({ status: 'ready', learned: options.learned() }),
  );
  app.route({
    url: GRAPHQL_PATH,
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    onRequest({ raw }, reply, done) {
      const request = handedOver.get(raw);
      if (request === undefined) done();
      else request.send(reply);
    },
    preHandler(_request, reply, done) {
      if (drain.isDraining()) reply.headers(CLOSE);
      drain.watch(reply.raw);
      done();
    },
    handler: graphqlHandler(options),
  });
  const refuseMethod = async (_request: FastifyRequest, reply: FastifyReply) =>
    refuse(reply.header('allow', 'GET, POST'), 405);
  app.route({
    url: GRAPHQL_PATH,
    method: ['HEAD', 'PUT', 'PATCH', 'DELETE'],
    // Before the body is read, whose type may be wrong too.
    onRequest: refuseMethod,
    handler: refuseMethod,
  });
}
