import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Answers, DEFAULT_ANSWERS } from './answers.ts';
import { createContext } from './context.ts';
import { endpoints } from './endpoints.ts';
import { HttpError, toErrorBody } from './errors.ts';
import { createMailboxes, SAMPLE_USERS, type SampleUser } from './sample/mailboxes.ts';

/** Open point: message and attachment limits. */
const MAX_BODY_BYTES = 1024 * 1024;
/** With fastify's default of 100, longer ids would match no route. */
const MAX_ID_LENGTH = 8192;

export interface EmbeddedOptions {
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Missing answers are those of `DEFAULT_ANSWERS`. */
  answers?: Partial<Answers>;
  /** Called for every request, just before its response is sent. */
  onCall?: (call: Call) => void;
}

/** One request as received, and the status of its response. */
export interface Call {
  method: string;
  /** Path and query. */
  url: string;
  authorization: string | undefined;
  /** Raw; empty if the body was not read. */
  body: string;
  status: number;
}

export interface EmbeddedService {
  /** `http://127.0.0.1:PORT`, without a slash or `/v1` at its end. */
  url: string;
  sampleUsers: readonly SampleUser[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves the whole messaging interface over HTTP, from memory. The sample data is the same at every
 * start. Source: Endpoints; `answers` fill its gaps.
 */
export async function startEmbeddedService({
  host = '127.0.0.1',
  port = 0,
  answers: given = {},
  onCall = () => {},
}: EmbeddedOptions = {}): Promise<EmbeddedService> {
  const answers: Answers = { ...DEFAULT_ANSWERS, ...given };

  const sendError = (error: unknown, reply: FastifyReply) => {
    const httpError = toHttpError(error);
    const body = toErrorBody(httpError, answers);
    reply.code(httpError.status).headers(httpError.headers);
    return body === null ? reply.send() : reply.type(body.type).send(body.body);
  };
  const report = (request: FastifyRequest, reply: FastifyReply) =>
    onCall({
      method: request.method,
      url: request.url,
      authorization: request.headers.authorization,
      body: typeof request.body === 'string' ? request.body : '',
      status: reply.statusCode,
    });
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    // Otherwise close() would wait for idle connections.
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => {
      sendError(error, reply);
      // fastify runs no hooks for a path that it cannot decode.
      report(request, reply);
    },
    routerOptions: { maxParamLength: MAX_ID_LENGTH },
  });
  app.setErrorHandler((error, _request, reply) => sendError(error, reply));
  app.setNotFoundHandler(({ method, url }) => {
    throw new HttpError(404, 'no_such_route', `${method} ${url} is not an endpoint`);
  });
  // Every body is read as text, so that onCall gets it; the endpoints check its type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onSend', async (request, reply) => {
    // Returns nothing, because fastify would send the returned value as the body.
    report(request, reply);
  });
  const mailboxes = createMailboxes(answers);
  await app.register(endpoints(createContext(answers), mailboxes), { prefix: '/v1' });

  const url = await app.listen({ host, port });
  const close = async () => {
    await app.close();
  };
  return { url, sampleUsers: SAMPLE_USERS, close, [Symbol.asyncDispose]: close };
}

/** Error codes for the errors that fastify raises itself, by status. */
const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  413: 'too_large',
  415: 'unsupported_media_type',
};

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  // An error without a status is a bug of the embedded service.
  const { statusCode = 500, message } = error as { statusCode?: number; message: string };
  return new HttpError(statusCode, CODES[statusCode] ?? 'internal', message);
}
