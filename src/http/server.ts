import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import fastifyCors from '@fastify/cors';
import { type FastifyInstance, fastify } from 'fastify';
import type { Logger } from 'pino';
import { answerClientErrors } from './client-errors.ts';
import { createDrain, type Drain } from './drain.ts';
import { answerRequestErrors, refuse } from './error-responses.ts';
import { type GraphqlOptions, graphqlHandler } from './graphql-route.ts';
import { SECURITY_HEADERS } from './headers.ts';
import { readJsonBodies } from './json-body.ts';
import { addMetrics, type MetricsPage } from './metrics.ts';
import { toRequestId } from './request-id.ts';

export interface ServerOptions extends GraphqlOptions {
  readonly corsOrigins: '*' | readonly string[];
  readonly log: Logger;
  /** Null: there is no /metrics. */
  readonly metrics: MetricsPage | null;
}

export interface GatewayServer {
  readonly app: FastifyInstance;
  readonly drain: Drain;
}

/** A document of 10,000 tokens with its variables fits; uploads do not. Unit: bytes. */
const MAX_BODY_BYTES = 1_048_576;
/** How long a client may take to send its request. Unit: milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How exactly that is kept. Unit: milliseconds. */
const CONNECTIONS_CHECK_MS = 5000;
/** Unit: bytes. Shorter answers cost more to compress than to send. */
const COMPRESS_FROM_BYTES = 1024;
/** The default, 11, takes longer than any network saves. */
const BROTLI_QUALITY = 4;

/** Everything that stands around /graphql: CORS, compression, the body limit, health, and a graceful end. */
export async function createServer(options: ServerOptions): Promise<GatewayServer> {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node gives the longer of the two to the whole request, and the head has 60 seconds by default.
    http: {
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
    },
    genReqId: toRequestId,
    frameworkErrors: (_error, request, reply) =>
      refuse(request, setHeaders(request, reply), 400),
    clientErrorHandler: answerClientErrors((status) =>
      options.metrics?.countResponse('none', status),
    ),
    // While it drains, the gateway answers what still arrives over connections that are open.
    return503OnClosing: false,
  });
  // A form or a text is what other sites can send without being asked.
  readJsonBodies(app);
  // Last of all: Apollo would have some answers cached.
  app.addHook('onSend', async (request, reply) => {
    setHeaders(request, reply);
  });
  await app.register(fastifyCors, {
    origin: options.corsOrigins === '*' ? '*' : [...options.corsOrigins],
    credentials: false,
    methods: ['GET', 'POST'],
    exposedHeaders: ['X-Request-Id', 'Retry-After'],
    maxAge: 86_400,
  });
  await app.register(fastifyCompress, {
    threshold: COMPRESS_FROM_BYTES,
    encodings: ['br', 'gzip', 'identity'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
  });
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
    // Apollo answers the last three with 405 and says what is allowed.
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    preHandler: drain.enter,
    handler: graphqlHandler(options),
  });
}

function setHeaders<T extends { headers(values: Record<string, string>): T }>(
  { id }: { id: string },
  reply: T,
): T {
  return reply.headers({
    ...SECURITY_HEADERS,
    'x-request-id': id,
    'cache-control': 'no-store',
  });
}
