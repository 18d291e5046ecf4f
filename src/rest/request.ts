import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import { type AbortListener, type Signal, timeIsUp } from '../callers/abort.ts';
import { createTimeLimit, type Deadline, type TimeLimit } from '../callers/time-limit.ts';
import { Body } from './body.ts';
import type { Meter, ReceivedAnswer } from './bytes.ts';
import { type Call, RestDecodeError, RestNetworkError } from './errors.ts';
import { isBrokenOff, isMalformed } from './network-cause.ts';
import type { PoolOptions } from './pool.ts';

/** One request to the service. */
export interface HttpRequest {
  readonly call: Call;
  /** Begins with `/v1`; includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Counts the answer while it arrives; null: nothing is counted. */
  readonly meter: Meter | null;
  /** Aborted when the caller has left, or the operation's time is up. */
  readonly signal: Signal;
}

/** A complete answer of the service. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The size of the body on the wire. */
  readonly bytes: number;
}

/** Where the answer goes, or why there is none. One of its methods runs, once. */
export interface Outcome {
  resolve(answer: HttpResponse): void;
  reject(error: Error): void;
}

/** Sends a request over a connection. */
export type SendRequest = (request: HttpRequest, outcome: Outcome) => void;

export interface WireOptions extends PoolOptions {
  /** The longest body of an answer. Unit: bytes. */
  readonly maxResponseBytes: number;
}

/**
 * Sends a request over a connection and collects the answer, whatever its status. It never follows a redirect, which could
 * send the token elsewhere. Rejects with RestNetworkError, or with RestDecodeError for an answer above the limit.
 *
 * It uses undici's `dispatch` instead of `request`: `dispatch` says when a request begins to leave, which decides whether
 * a write may be repeated, and it costs a quarter less.
 */
export function overWire(
  dispatcher: Dispatcher,
  { url, timeoutMs, maxResponseBytes }: WireOptions,
): SendRequest {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, '');
  const time = createTimeLimit(timeoutMs);
  const tooSlow = timeIsUp(`it took longer than ${timeoutMs} ms (REST_TIMEOUT_MS)`);
  const limits = { maxResponseBytes, time, tooSlow };
  return (request, outcome) => {
    const { call, headers, body } = request;
    const exchange = new DispatchedRequest(request, limits, outcome);
    if (!exchange.begin()) return;
    const path = prefix + request.path;
    dispatcher.dispatch({ origin, path, method: call.method, headers, body }, exchange);
  };
}

type Controller = Dispatcher.DispatchController;

interface Limits extends Pick<WireOptions, 'maxResponseBytes'> {
  readonly time: TimeLimit;
  /** The cause of the error when the time of a call is up. */
  readonly tooSlow: Error;
}

/** One request and its answer. The first thing that ends it counts. */
class DispatchedRequest implements Dispatcher.DispatchHandler, AbortListener {
  readonly #request: HttpRequest;
  readonly #limits: Limits;
  readonly #outcome: Outcome;
  #deadline: Deadline | null = null;
  #counted: ReceivedAnswer | null = null;
  /** Set from when the request begins to leave until it ends; no longer, because it references the connection. */
  #running: Controller | null = null;
  #mayHaveLeft = false;
  #isFinished = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #bytes = 0;
  readonly #body = new Body();

  constructor(request: HttpRequest, limits: Limits, outcome: Outcome) {
    this.#request = request;
    this.#limits = limits;
    this.#outcome = outcome;
  }

  /** Starts its time; false if nobody waits for the answer any more. */
  begin(): boolean {
    const { signal } = this.#request;
    this.#deadline = this.#limits.time(this);
    if (signal.aborted) {
      this.handleEvent();
      return false;
    }
    signal.addEventListener('abort', this);
    return true;
  }

  /** The call is given up. */
  handleEvent(): void {
    this.#noAnswer('timeout', this.#request.signal.reason ?? this.#limits.tooSlow);
  }

  onRequestStart(controller: Controller): void {
    // The caller gave up while queued. Throw, so that nothing is sent; `controller.abort()` would close the connection.
    if (this.#isFinished) throw new Error('given up');
    try {
      this.#counted = this.#request.meter?.begin(this.#request.call) ?? null;
    } catch (error) {
      this.#fail(error as Error);
      throw error;
    }
    this.#running = controller;
    this.#mayHaveLeft = true;
  }

  onResponseStart(_: Controller, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    if (this.#isFinished) return;
    this.#bytes += chunk.length;
    try {
      const { maxResponseBytes } = this.#limits;
      if (this.#bytes > maxResponseBytes) {
        throw tooLong(this.#request.call, maxResponseBytes);
      }
      this.#counted?.receive(chunk, this.#body);
      this.#body.add(chunk);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  onResponseEnd(): void {
    if (this.#isFinished) return;
    const text = this.#body.takeText();
    try {
      this.#counted?.complete(text);
    } catch (error) {
      // Nothing is left to abort: the answer is whole.
      this.#running = null;
      this.#fail(error as Error);
      return;
    }
    this.#finish();
    this.#outcome.resolve({
      status: this.#status,
      headers: this.#headers,
      text,
      bytes: this.#bytes,
    });
  }

  onResponseError(_: Controller, error: Error): void {
    // On a connection that closes after this answer, undici reports a broken-off body as a malformed answer.
    const isLost = this.#status >= 200 && isBrokenOff(error);
    const cause = isLost ? new errors.SocketError('closed') : error;
    this.#noAnswer(isMalformed(cause) ? 'invalid' : 'unreachable', cause);
  }

  #noAnswer(kind: RestNetworkError['kind'], cause?: unknown): void {
    if (this.#isFinished) return;
    const mayHaveLeft = this.#mayHaveLeft;
    this.#fail(new RestNetworkError(this.#request.call, { kind, mayHaveLeft, cause }));
  }

  #fail(error: Error): void {
    if (this.#isFinished) return;
    const running = this.#running;
    this.#finish();
    this.#outcome.reject(error);
    running?.abort(error);
  }

  #finish(): void {
    this.#isFinished = true;
    this.#running = null;
    this.#counted?.end();
    this.#deadline?.stop();
    this.#request.signal.removeEventListener('abort', this);
  }
}

const tooLong = (call: Call, limit: number) =>
  new RestDecodeError(call, `answered more than ${limit} bytes (MAX_RESPONSE_BYTES)`);
