import { randomUUID } from 'node:crypto';
import {
  type IncomingMessage,
  maxHeaderSize,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../rest/error-codes.ts';
import { MAX_UNUSUAL_NUMBERS } from '../rest/exact-json.ts';
import { type Answer, toJsonAnswer } from './exchange.ts';
import { HEADERS, isPreflight, toPreflightHeaders } from './headers.ts';
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

/** The only expectation that Node meets. For any other, it emits an event instead of `request`. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** The answer to a request that needs no route: a preflight, or one that Node would refuse in another shape. Null for others. */
export function toGeneralAnswer(request: IncomingMessage): Answer | null {
  const { method, headers, httpVersion } = request;
  // HTTP/1.0 has neither rule.
  if (httpVersion === '1.1') {
    const { host, expect } = headers;
    if (expect !== undefined && !CONTINUE.test(expect)) return toRefusal(417);
    if (host === undefined) return toRefusal(400, { message: NO_HOST });
  }
  if (method !== 'OPTIONS') return null;
  return isPreflight(headers)
    ? { status: NO_CONTENT, headers: toPreflightHeaders(headers), body: '' }
    : toRefusal(400, { message: NO_PREFLIGHT });
}

/**
 * Answers requests that no handler sees, in the shape of all others. Call it before the server listens, and let that accept
 * requests without a `Host` header.
 */
export function answerUnread(server: Server, count: CountStatus): void {
  server.on('checkExpectation', (request, response) =>
    server.emit('request', request, response),
  );
  // Node would close the connection without an answer, and no longer watches it after this event.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('finish', () => socket.destroy());
    answerInOrder(socket, () => {
      answerRaw(socket, 404);
      count(404);
    });
  });
  const unreadable = new WeakSet<Socket>();
  server.on('clientError', (error: ClientError, socket: Socket) => {
    // Each read after an error emits another one.
    if (socket.writable && unreadable.has(socket)) return;
    unreadable.add(socket);
    answerInOrder(socket, () => answerClientError(error, socket, count));
  });
}

type CountStatus = (status: number) => void;

export const toRefusal = (
  status: number,
  {
    message,
    headers = [],
  }: { message?: string; headers?: readonly [string, string][] } = {},
): Answer =>
  toJsonAnswer(status, toErrors(status, message), [
    ...headers,
    ...(status === OVERLOADED ? RETRY_AFTER : []),
  ]);

export const OVERLOADED = 429;
/** The answer to a preflight. */
export const NO_CONTENT = 204;
/** Other requests are answered by then. Unit: seconds. */
const RETRY_AFTER_SECONDS = 1;
const RETRY_AFTER = [['retry-after', String(RETRY_AFTER_SECONDS)]] as const;

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
type AnsweringSocket = Duplex & { readonly _httpMessage?: ServerResponse | null };

/**
 * Answers what is no request for Node once the requests before it are answered. If it were answered at once, the client would
 * take that for the answer to one of them.
 */
export function answerInOrder(socket: AnsweringSocket, answer: () => void): void {
  const before = socket._httpMessage;
  if (!before?.req.complete) {
    answer();
    return;
  }
  // After CONNECT or an upgrade, Node no longer forwards `drain` to the answer in progress.
  const drained = () => before.emit('drain');
  socket.on('drain', drained);
  before.once('close', () => {
    socket.off('drain', drained);
    answerInOrder(socket, answer);
  });
}

/** Answers what Node's parser cannot read, and closes the connection. */
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
    ...HEADERS,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body].join('\r\n'),
  );
}
