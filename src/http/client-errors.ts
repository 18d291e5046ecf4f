import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { toErrors } from './error-responses.ts';
import { SECURITY_HEADERS } from './headers.ts';

type ClientError = Error & { readonly code?: string };

/** What Node's parser says of a request that it cannot read, as a status; 400 for anything else. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** Node puts the answer under way there, and looks at it itself before it answers an error. */
type AnsweringSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Answers what is no request that a handler could be given, like any other answer, and ends the connection. */
export const answerClientErrors =
  (count: (status: number) => void) =>
  (error: ClientError, socket: AnsweringSocket): void => {
    // A client that is gone, or whose answer is half sent: nothing more can be said.
    const isHalfSent = socket._httpMessage?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || isHalfSent) {
      socket.destroy();
      return;
    }
    const status = STATUSES[error.code ?? ''] ?? 400;
    const body = JSON.stringify(toErrors(status));
    const headers = {
      ...SECURITY_HEADERS,
      'x-request-id': randomUUID(),
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(
      [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body].join('\r\n'),
    );
    count(status);
  };
