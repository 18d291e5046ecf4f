import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type Call, RestDecodeError, RestNetworkError } from './errors.ts';

export interface HttpRequest {
  readonly call: Call;
  /** Path with its query, as it goes over the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Ends the sendRequest early: the caller left, or the operation's time is up. */
  readonly signal: AbortSignal;
}

/** Bounds of one sendRequest. Units: milliseconds, to the last byte of the answer; bytes of its body. */
export interface Limits {
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Of the body as it came. */
  readonly bytes: number;
}

/**
 * Sends one request and collects its answer, whatever the status. Redirects are answers like others: following one
 * would carry the token elsewhere. Throws RestNetworkError, or RestDecodeError for an answer above the limit.
 *
 * undici's `dispatch` is used rather than its `request`: it says when a request begins to leave, which decides
 * whether a write may be repeated, and it costs a quarter less.
 */
export function sendRequest(
  dispatcher: Dispatcher,
  { call, path, headers, body, signal }: HttpRequest,
  { timeoutMs, maxResponseBytes }: Limits,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let running: Dispatcher.DispatchController | null = null;
    let finished = false;
    let status = 0;
    let answerHeaders: IncomingHttpHeaders = {};
    let size = 0;
    const chunks: Buffer[] = [];

    const finish = () => {
      finished = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    };
    const fail = (error: Error) => {
      if (finished) return;
      finish();
      reject(error);
      running?.abort(error);
    };
    const noAnswer = (kind: RestNetworkError['kind'], cause?: unknown) =>
      fail(new RestNetworkError(call, { kind, mayHaveLeft: running !== null, cause }));
    const giveUp = () => noAnswer('timeout', signal.reason);

    const timer = setTimeout(giveUp, timeoutMs);
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp);

    dispatcher.dispatch(
      { path, method: call.method, headers, body },
      {
        onRequestStart(controller) {
          // Given up while it waited for a connection: nothing of it leaves. To abort it would cost the connection.
          if (finished) throw new Error('given up');
          running = controller;
        },
        onResponseStart(_controller, statusCode, responseHeaders) {
          status = statusCode;
          answerHeaders = responseHeaders;
        },
        onResponseData(_controller, chunk) {
          size += chunk.length;
          if (size <= maxResponseBytes) chunks.push(chunk);
          else
            fail(
              new RestDecodeError(call, `answered more than ${maxResponseBytes} bytes`),
            );
        },
        onResponseEnd() {
          if (finished) return;
          finish();
          resolve({
            status,
            headers: answerHeaders,
            text: decodeUtf8(chunks),
            bytes: size,
          });
        },
        onResponseError(_controller, error) {
          noAnswer('unreachable', error);
        },
      },
    );
  });
}

const utf8 = new TextDecoder();
const decodeUtf8 = (chunks: readonly Buffer[]): string =>
  utf8.decode(
    chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks),
  );
