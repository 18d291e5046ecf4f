import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import type { AnswerMeter, Meter } from './bytes.ts';
import { type Call, RestDecodeError, RestNetworkError } from './errors.ts';

/** One request to the service. */
export interface HttpRequest {
  readonly call: Call;
  /** Begins with `/v1`; includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Counts the answer while it arrives. */
  readonly meter: Pick<Meter, 'begin'>;
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
  /** The size of the body on the wire. */
  readonly bytes: number;
}

export interface WireOptions {
  /** The service's base address, without `/v1`. */
  readonly url: string;
  /** Connections to the service, which are kept alive. */
  readonly connections: number;
  /** The longest time of one request, to the last byte of its answer. Unit: milliseconds. */
  readonly timeoutMs: number;
  /** The longest body of an answer. Unit: bytes. */
  readonly maxResponseBytes: number;
}

/** The connections to the service. The gateway has timeouts of its own, so undici's coarse timers are switched off. */
export const createPool = ({ url, connections, timeoutMs }: WireOptions): Pool =>
  new Pool(new URL(url).origin, {
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: timeoutMs },
  });

/**
 * Sends a request over a connection and collects the answer, whatever its status. It never follows a redirect, which could
 * send the token elsewhere. Throws RestNetworkError, or RestDecodeError for an answer above the limit.
 *
 * It uses undici's `dispatch` instead of `request`: `dispatch` says when a request begins to leave, which decides whether
 * a write may be repeated, and it costs a quarter less.
 */
export function overWire(
  dispatcher: Dispatcher,
  { url, timeoutMs, maxResponseBytes }: WireOptions,
): (request: HttpRequest) => Promise<HttpResponse> {
  const prefix = new URL(url).pathname.replace(/\/+$/, '');
  return ({ call, path, headers, body, signal, expires, meter }) =>
    new Promise((resolve, reject) => {
      let counted: AnswerMeter | null = null;
      let running: Dispatcher.DispatchController | null = null;
      let finished = false;
      let status = 0;
      let answerHeaders: IncomingHttpHeaders = {};
      let size = 0;
      const chunks: Buffer[] = [];

      const finish = () => {
        finished = true;
        counted?.end();
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
            try {
              counted = meter.begin(call);
            } catch (error) {
              fail(error as Error);
              throw error;
            }
            running = controller;
          },
          onResponseStart(_controller, statusCode, responseHeaders) {
            status = statusCode;
            answerHeaders = responseHeaders;
          },
          onResponseData(_controller, chunk) {
            if (finished) return;
            size += chunk.length;
            try {
              if (size > maxResponseBytes) throw tooLong(call, maxResponseBytes);
              counted?.receive(chunk);
              chunks.push(chunk);
            } catch (error) {
              fail(error as Error);
            }
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

const tooLong = (call: Call, limit: number) =>
  new RestDecodeError(call, `answered more than ${limit} bytes`);

const utf8 = new TextDecoder();
const decodeUtf8 = (chunks: readonly Buffer[]): string =>
  utf8.decode(
    chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks),
  );
