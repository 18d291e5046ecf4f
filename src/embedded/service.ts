import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Answers, DEFAULT_ANSWERS } from './answers.ts';
import { endpoints } from './endpoints.ts';
import { Refusal, toErrorBody } from './refusal.ts';
import { createSample, type SampleUser } from './sample/seed.ts';

/** Open point: message and attachment limits. Large enough for every message people write. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Ids longer than fastify's default of 100 are ids too. */
const MAX_ID_LENGTH = 8192;

export interface EmbeddedOptions {
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** What fills the gaps of the interface; what is left out is as in `DEFAULT_ANSWERS`. */
  answers?: Partial<Answers>;
  /** Told of every request just before its answer leaves. */
  onCall?: (call: Call) => void;
}

/** One request as it arrived, and the status of its answer: for logs and for tests. */
export interface Call {
  method: string;
  /** Path with query, as received. */
  url: string;
  authorization: string | undefined;
  /** Raw; empty too where none was read. */
  body: string;
  status: number;
}

export interface EmbeddedService {
  /** `http://127.0.0.1:PORT`: no slash at its end, without `/v1`. */
  url: string;
  sampleUsers: readonly SampleUser[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the whole messaging interface over HTTP, from memory, with sample data that is the same at
 * every start. Source: Endpoints; its gaps are filled by `answers`.
 */
export async function startEmbeddedService({
  host = '127.0.0.1',
  port = 0,
  answers: given = {},
  onCall = () => {},
}: EmbeddedOptions = {}): Promise<EmbeddedService> {
  const answers: Answers = { ...DEFAULT_ANSWERS, ...given };
  const { users, mailboxes, surroundings } = createSample(answers);

  const refuse = (error: unknown, reply: FastifyReply) => {
    const refusal = toRefusal(error);
    const body = toErrorBody(refusal, answers);
    reply.code(refusal.status).headers(refusal.headers);
    return body === null ? reply.send() : reply.type(body.type).send(body.body);
  };
  const tell = ({ method, url, headers, body }: FastifyRequest, reply: FastifyReply) =>
    onCall({
      method,
      url,
      authorization: headers.authorization,
      body: typeof body === 'string' ? body : '',
      status: reply.statusCode,
    });
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    // A client's idle connections would hold up close() otherwise.
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => {
      refuse(error, reply);
      // A path that fastify cannot decode gets here without any hook.
      tell(request, reply);
    },
    routerOptions: { maxParamLength: MAX_ID_LENGTH },
  });
  app.setErrorHandler((error, _request, reply) => refuse(error, reply));
  app.setNotFoundHandler(({ method, url }) => {
    throw new Refusal(404, 'no_such_route', `${method} ${url} is no endpoint`);
  });
  // Bodies are read as text whatever their type, so that onCall has them; readBody judges the type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onSend', async (request, reply) => {
    // In braces: what an onSend hook returns would replace the body.
    tell(request, reply);
  });
  await app.register(endpoints(surroundings, mailboxes), { prefix: '/v1' });

  const url = await app.listen({ host, port });
  const close = async () => {
    await app.close();
  };
  return { url, sampleUsers: users, close, [Symbol.asyncDispose]: close };
}

/** Codes of the errors that fastify finds by itself, by status. */
const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  413: 'too_large',
  415: 'unsupported_media_type',
};

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  // Without a status it is a bug of ours, and says so.
  const { statusCode = 500, message } = error as { statusCode?: number; message: string };
  return new Refusal(statusCode, CODES[statusCode] ?? 'internal', message);
}
