import { randomUUID } from 'node:crypto';
import { maxHeaderSize, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { ErrorCode } from '../operation/errors.ts';
import { MAX_UNUSUAL_NUMBERS } from '../rest/exact-json.ts';
import { toHeaders } from './headers.ts';
import {
  MAX_BODY_BYTES,
  MAX_BODY_ITEMS,
  MAX_BODY_LEVELS,
  REQUEST_TIMEOUT_MS,
} from './limits.ts';

/** What a client can do about a request that does not reach GraphQL, by status. */
const ADVICE: Readonly<Record<number, string>> = {
  400: `The request could not be read: the body must be JSON in UTF-8, of at most ${MAX_BODY_LEVELS} levels.`,
  403: 'Pages of this origin may not connect: see CORS_ORIGINS.',
  404: 'There is nothing at this address. GraphQL is at /graphql.',
  405: 'Send the operation as a POST, or a query as a GET.',
  408: `The request took longer than ${REQUEST_TIMEOUT_MS / 1000} seconds to arrive.`,
  413: `The body has more than ${MAX_BODY_BYTES} bytes, more than ${MAX_BODY_ITEMS} items and fields, or more than ${MAX_UNUSUAL_NUMBERS} numbers of many digits, or it comes in thousands of tiny chunks.`,
  415: 'Send the operation as JSON in UTF-8, with "Content-Type: application/json", uncompressed or compressed once.',
  417: 'The only expectation that can be met is "Expect: 100-continue".',
  429: 'The requests that are arriving, or are being answered, hold too many bytes already: send this one again later, or a shorter one.',
  431: `The headers and the address have more than ${maxHeaderSize} bytes together.`,
};
const NO_HOST = 'Every request needs the header "Host".';
const NO_PREFLIGHT =
  'An OPTIONS request needs the headers of a preflight: "Origin" and "Access-Control-Request-Method".';

/** The code of the error when a long answer is sent to a client that has left, which is no error of the gateway. */
const HAS_LEFT = 'ERR_STREAM_PREMATURE_CLOSE';

/** Answers errors outside Apollo in GraphQL's format, with messages of our own: the framework's messages quote the request. */
export function answerRequestErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if ((error.statusCode ?? 500) >= 500 && error.code !== HAS_LEFT) {
      log.error(
        { requestId: request.id, error: error.code ?? error.name },
        'internal server error',
      );
    }
    // Fastify closes the connection after every body that it could not read.
    if (error.statusCode === 413) reply.removeHeader('connection');
    // Room was needed, and its sender may be slow.
    if (error.statusCode === OVERLOADED) reply.header('connection', 'close');
    return refuse(reply, error.statusCode);
  });
  app.setNotFoundHandler((_request, reply) => refuse(reply, 404));
}

/**
 * Answers requests that Node or the CORS plugin would answer in a shape of their own, as HTTP asks. Call it before that
 * plugin is registered, and let Node accept requests without a `Host` header.
 */
export function answerUnfitRequests(app: FastifyInstance, count: CountStatus): void {
  const unexpected = new WeakSet<object>();
  app.server.on('checkExpectation', (request, response) => {
    unexpected.add(request);
    app.server.emit('request', request, response);
  });
  // Node would close the connection without an answer, and no longer watches it after this event.
  app.server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('finish', () => socket.destroy());
    answerRaw(socket, 404);
    count(404);
  });
  app.addHook('onRequest', ({ raw, method, headers }, reply, done) => {
    // HTTP/1.0 has no such rule.
    const hasNoHost = headers.host === undefined && raw.httpVersion === '1.1';
    const isPreflight = headers.origin && headers['access-control-request-method'];
    if (headers.expect !== undefined && unexpected.has(raw)) refuse(reply, 417);
    else if (hasNoHost) refuse(reply, 400, NO_HOST);
    else if (method === 'OPTIONS' && !isPreflight) refuse(reply, 400, NO_PREFLIGHT);
    else done();
  });
}

/** Counts an answer that passes no hook. */
type CountStatus = (status: number) => void;

/** Sends the error of a status; without a status, that of a bug. */
export const refuse = (
  reply: FastifyReply,
  status = 500,
  message?: string,
): FastifyReply => {
  if (status === OVERLOADED) reply.header('retry-after', RETRY_AFTER_SECONDS);
  return reply.code(status).send(toErrors(status, message));
};

export const OVERLOADED = 429;
/** Other requests are answered by then. Unit: seconds. */
const RETRY_AFTER_SECONDS = 1;

const CODES: Readonly<Record<number, ErrorCode>> = {
  404: 'NOT_FOUND',
  [OVERLOADED]: 'OVERLOADED',
};

/** The body of an answer with this status. */
export function toErrors(
  status: number,
  advice = ADVICE[status] ?? 'This is not a request for GraphQL.',
) {
  const code = CODES[status] ?? (status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST');
  const message = status >= 500 ? 'Internal server error' : advice;
  const extensions = {
    code,
    ...(status === OVERLOADED && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
  };
  return { errors: [{ message, extensions }] };
}

type ClientError = Error & { readonly code?: string };

/** The statuses of errors of Node's HTTP parser; any other error gets 400. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** Node keeps the answer in progress here. Node's own error handler checks it too. */
type AnsweringSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Answers what Node's parser cannot read, which no handler sees, and closes the connection. */
export const answerClientErrors =
  (count: CountStatus, sendNow: () => void) =>
  (error: ClientError, socket: AnsweringSocket): void => {
    // The answers to earlier requests that wait come first.
    sendNow();
    setImmediate(() => answerClientError(error, socket, count));
  };

function answerClientError(
  error: ClientError,
  socket: AnsweringSocket,
  count: CountStatus,
): void {
  // The client is gone, or its answer is half sent: an error cannot be sent.
  const isHalfSent = socket._httpMessage?.headersSent === true;
  if (error.code === 'ECONNRESET' || !socket.writable || isHalfSent) {
    socket.destroy();
    return;
  }
  const status = STATUSES[error.code ?? ''] ?? 400;
  answerRaw(socket, status);
  count(status);
}

/** Writes an error onto a connection without Node's help, and ends it. */
export function answerRaw(
  socket: Duplex,
  status: number,
  requestId: string = randomUUID(),
): void {
  const body = JSON.stringify(toErrors(status));
  const headers = {
    ...toHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body].join('\r\n'),
  );
}
