import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { type Call, RestDecodeError, RestNetworkError } from './errors.ts';

/** One request to the service. */
export interface HttpRequest {
  readonly call: Call;
  /** Path from `/v1` on, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Aborted when the caller has left, or the operation's time is up. */
  readonly signal: AbortSignal;
  /** When its time is up, on the clock of `performance.now()`, if a part was spent on waiting. Unit: milliseconds. */
  readonly expires?: number;
}

/** A complete answer of the service. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The size of the body as it came. */
  readonly bytes: number;
}

export interface WireOptions {
  /** The service's base address, without `/v1`. */
  readonly url: string;
  /** Connections to the service, which are kept alive. */
  readonly connections: number;
  /** The longest time of one request, to the last byte of its answer. Unit: milliseconds. */
  readonly timeoutMs: number;
  /** Unit: bytes of an answer's body. */
  readonly maxResponseBytes: number;
}

/** The connections to the service. The gateway limits times itself, so undici's coarse timers are switched off. */
export const createPool = ({ url, connections, timeoutMs }: WireOptions): Pool =>
  new Pool(new URL(url).origin, {
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: timeoutMs },
  });

/**
 * Sends a request over a connection and collects the answer, whatever its status. A redirect is an answer like any other:
 * following it would carry the token elsewhere. Throws RestNetworkError, or RestDecodeError for an answer above the limit.
 *
 * It uses undici's `dispatch` instead of `request`: `dispatch` says when a request begins to leave, which decides whether
 * a write may be repeated, and it costs a quarter less.
 */
export function overWire(
  dispatcher: Dispatcher,
  { url, timeoutMs, maxResponseBytes }: WireOptions,
): (request: HttpRequest) => Promise<HttpResponse> {
  const prefix = new URL(url).pathname.replace(/\/+$/, '');
  return ({ call, path, headers, body, signal, expires }) =>
    new Promise((resolve, reject) => {
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

      const ms =
        expires === undefined ? timeoutMs : Math.max(0, expires - performance.now());
      const timer = setTimeout(giveUp, ms);
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp);

      dispatcher.dispatch(
        { path: prefix + path, method: call.method, headers, body },
        {
          onRequestStart(controller) {
            // The caller gave up while queued. Throw, so that nothing is sent; `controller.abort()` would close the connection.
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
