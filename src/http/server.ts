import fastifyCors from '@fastify/cors';
import { type FastifyInstance, fastify } from 'fastify';
import type { Logger } from 'pino';
import { compressAnswers } from './compression.ts';
import { createDrain, type Drain } from './drain.ts';
import {
  answerClientErrors,
  answerRequestErrors,
  answerUnfitRequests,
  refuse,
} from './error-responses.ts';
import { type GraphqlOptions, graphqlHandler } from './graphql-route.ts';
import { toHeaders } from './headers.ts';
import { type HoldRequest, readJsonBodies } from './json-body.ts';
import { addMetrics, type MetricsPage } from './metrics.ts';
import { toRequestId } from './request-id.ts';
import { boundSending, type SendingBounds } from './sending.ts';
import { boundUnanswered } from './unanswered.ts';

export interface ServerOptions extends GraphqlOptions, Omit<SendingBounds, 'onSlow'> {
  readonly corsOrigins: '*' | readonly string[];
  readonly log: Logger;
  readonly holdRequest: HoldRequest;
  /** Null: /metrics is not served. */
  readonly metrics: MetricsPage | null;
}

export interface GatewayServer {
  readonly app: FastifyInstance;
  readonly drain: Drain;
}

/** Enough for a document of 10,000 tokens with its variables, but not for uploads. Unit: bytes. */
const MAX_BODY_BYTES = 1_048_576;
/** How long a client may take to send its request. Unit: milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node checks that time. Unit: milliseconds. */
const CONNECTIONS_CHECK_MS = 5000;

/** The HTTP server with everything around /graphql: CORS, compression, the body limit, health, and a graceful stop. */
export async function createServer(options: ServerOptions): Promise<GatewayServer> {
  const count = (status: number) => options.metrics?.countResponse('none', status);
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node grants a request the longer of the two timeouts, and the default of this one is 60 seconds.
    http: {
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      requireHostHeader: false,
    },
    genReqId: toRequestId,
    frameworkErrors: (_error, request, reply) =>
      refuse(reply.headers(toHeaders(request.id)), 400),
    clientErrorHandler: answerClientErrors(count),
    // A draining gateway still answers requests that arrive over open connections.
    return503OnClosing: false,
  });
  // Only JSON, because other sites can send forms and plain text without a preflight request.
  readJsonBodies(app, options.holdRequest);
  // In the last hook, because Apollo sets a `cache-control` of its own on some answers.
  // With `done`, here and in the other hooks, because an async hook would cost more than what it does.
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(toHeaders(request.id));
    done(null, payload);
  });
  boundUnanswered(app);
  answerUnfitRequests(app, count);
  // Before compression, which takes the parts of a long answer as the client reads them.
  boundSending(app, {
    ...options,
    onSlow(client) {
      options.metrics?.countSlowClient(client.reason);
      options.log.warn(client, 'a client was disconnected: it did not read its answer');
    },
  });
  await app.register(fastifyCors, {
    origin: options.corsOrigins === '*' ? '*' : [...options.corsOrigins],
    credentials: false,
    methods: ['GET', 'POST'],
    exposedHeaders: ['X-Request-Id', 'Retry-After'],
    maxAge: 86_400,
  });
  await compressAnswers(app);
  answerRequestErrors(app, options.log);
  if (options.metrics !== null) addMetrics(app, options.metrics);

  const drain = createDrain(app);
  addRoutes(app, drain, options);
  return { app, drain };
}

function addRoutes(app: FastifyInstance, drain: Drain, options: GraphqlOptions): void {
  app.get('/', (_request, reply) => reply.redirect('/graphql'));
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', (_request, reply) =>
    drain.isDraining()
      ? reply.code(503).send({ status: 'draining' })
      : reply.send({ status: 'ready' }),
  );
  app.route({
    url: '/graphql',
    // Apollo answers the last three with 405 and the methods that are allowed.
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    preHandler: drain.enter,
    handler: graphqlHandler(options),
  });
}
