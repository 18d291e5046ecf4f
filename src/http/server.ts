import { constants } from 'node:zlib';
import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import fastifyCompress from '@fastify/compress';
import fastifyCors from '@fastify/cors';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  fastify,
} from 'fastify';
import type { Logger } from 'pino';
import { createDrain, type Drain } from './drain.ts';
import type { OperationContext } from './operation.ts';
import { toRequestId } from './request-id.ts';

export interface ServerOptions {
  readonly apollo: ApolloServer<OperationContext>;
  /** `signal` is aborted when the answer is sent, the client has left, or the operation's time is up. */
  readonly createContext: (
    request: FastifyRequest,
    signal: AbortSignal,
  ) => OperationContext;
  /** Everything an operation does. Unit: milliseconds. */
  readonly operationTimeoutMs: number;
  readonly corsOrigins: '*' | readonly string[];
  readonly log: Logger;
}

export interface GatewayServer {
  readonly app: FastifyInstance;
  readonly drain: Drain;
}

/** A document of 10,000 tokens with its variables fits; uploads do not. Unit: bytes. */
const MAX_BODY_BYTES = 1_048_576;
/** How long a client may take to send its request. Unit: milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Unit: bytes. Shorter answers cost more to compress than to send. */
const COMPRESS_FROM_BYTES = 1024;
/** The default, 11, takes longer than any network saves. */
const BROTLI_QUALITY = 4;

/** Everything that stands around /graphql: CORS, compression, the body limit, health, and a graceful end. */
export async function createServer(options: ServerOptions): Promise<GatewayServer> {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: toRequestId,
    // While it drains, the gateway answers what still arrives over connections that are open.
    return503OnClosing: false,
  });
  // GraphQL over HTTP is JSON; a form or a text is what other sites can send without being asked.
  app.removeContentTypeParser('text/plain');
  const drain = createDrain(app);

  // Last of all: Apollo would have some answers cached.
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
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
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500)
      options.log.error(
        { requestId: request.id, code: error.code },
        'internal server error',
      );
    return reply.code(status).send(toRequestError(status, error.message));
  });
  app.setNotFoundHandler((_request, reply) =>
    reply
      .code(404)
      .send(toRequestError(404, 'There is nothing here; GraphQL is at /graphql.')),
  );

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
    onRequest: drain.enter,
    handler: fastifyApolloHandler(options.apollo, {
      context: async (request, reply) => {
        const end = new AbortController();
        const timer = setTimeout(() => end.abort(), options.operationTimeoutMs);
        reply.raw.once('close', () => {
          clearTimeout(timer);
          end.abort();
        });
        return options.createContext(request, end.signal);
      },
    }),
  });
  return { app, drain };
}

/** A request error in GraphQL's shape. */
function toRequestError(status: number, message: string) {
  const [text, code] =
    status >= 500
      ? ['Internal server error', 'INTERNAL_SERVER_ERROR']
      : [message, status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST'];
  return { errors: [{ message: text, extensions: { code } }] };
}
