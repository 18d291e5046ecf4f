import type { IncomingHttpHeaders } from 'node:http';
import { hasLeft, type Signal } from '../callers/abort.ts';
import type { Lifetime } from '../callers/time-limit.ts';
import { type CallOutcome, RestError } from '../rest/errors.ts';
import type { AttemptInfo, CallObserver, ObservedAttempt } from '../rest/observe.ts';
import type { HttpRequest, HttpResponse, Outcome, SendRequest } from '../rest/request.ts';
import type { CallLog } from './call-log.ts';
import type { LogOperation } from './log.ts';
import type { Metrics, OperationResult } from './metrics.ts';
import type { CallTrace, OperationTrace, Tracing } from './tracing.ts';

export interface ObserverOptions {
  readonly logOperation: LogOperation;
  /** Null: no metrics. */
  readonly metrics: Metrics | null;
  readonly tracing: Tracing | null;
}

interface ObservedRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly lifetime: Lifetime;
  readonly callLog: CallLog | null;
}

/**
 * Turns one operation, from its arrival to its answer, and its calls to the service, into a log line, metrics and a trace.
 */
export class ObservedOperation implements CallObserver {
  readonly requestId: string;
  readonly ended: CallObserver['ended'];
  readonly #request: ObservedRequest;
  readonly #options: ObserverOptions;
  /** The SHA-256 of its document, if it runs although it is not trusted. */
  untrusted: string | undefined;
  #trace: OperationTrace | null = null;
  #restCalls = 0;
  #restRetries = 0;

  constructor(request: ObservedRequest, options: ObserverOptions) {
    this.requestId = request.id;
    this.ended = request.callLog?.add ?? null;
    this.#request = request;
    this.#options = options;
  }

  /** Runs when the request proves to be an operation. After it, `end` runs in any case. */
  start(): void {
    this.#trace = this.#options.tracing?.beginOperation(this.#request.headers) ?? null;
  }

  /** By which all lines of the operation in the log are found. */
  get ids() {
    return { requestId: this.requestId, traceId: this.#trace?.traceId };
  }

  begin(attempt: AttemptInfo): ObservedAttempt {
    if (attempt.number === 0) this.#restCalls += 1;
    else this.#restRetries += 1;
    const span = this.#trace?.beginCall(attempt.call, attempt.number) ?? null;
    return new Observed(attempt, this.#options.metrics, span);
  }

  end(result: OperationResult): void {
    const { logOperation, metrics } = this.#options;
    const { lifetime } = this.#request;
    const ms = performance.now() - lifetime.arrived;
    const clientLeft = hasLeft(lifetime);
    logOperation({
      requestId: this.requestId,
      traceId: this.#trace?.traceId,
      operation: result.name,
      type: result.type,
      client: result.client,
      clientVersion: result.clientVersion,
      untrusted: this.untrusted,
      restCalls: this.#restCalls,
      restRetries: this.#restRetries,
      durationMs: Math.round(ms * 10) / 10,
      codes: result.codes,
      clientLeft: clientLeft || undefined,
    });
    metrics?.countOperation(result, ms, clientLeft);
    if (this.untrusted !== undefined) metrics?.countUntrusted();
    this.#trace?.end(result);
  }
}

/** Observes the calls of a poll of a watched list, which belong to no operation. */
export const observePoll = (id: string, metrics: Metrics | null): CallObserver => ({
  requestId: id,
  begin: (attempt) => new Observed(attempt, metrics, null),
  ended: null,
});

class Observed implements ObservedAttempt {
  readonly #began = performance.now();
  readonly #attempt: AttemptInfo;
  readonly #metrics: Metrics | null;
  readonly #span: CallTrace | null;

  constructor(attempt: AttemptInfo, metrics: Metrics | null, span: CallTrace | null) {
    this.#attempt = attempt;
    this.#metrics = metrics;
    this.#span = span;
  }

  send(request: HttpRequest, outcome: Outcome, send: SendRequest): void {
    if (this.#span === null) send(request, outcome);
    else {
      this.#span.run((added) =>
        send({ ...request, headers: { ...added, ...request.headers } }, outcome),
      );
    }
  }

  answered({ status }: HttpResponse): void {
    this.#end(status);
  }

  failed(error: unknown): void {
    this.#end(toOutcome(error, this.#attempt.signal));
  }

  #end(outcome: CallOutcome): void {
    const ms = performance.now() - this.#began;
    this.#metrics?.countCall(this.#attempt, ms, outcome);
    this.#span?.end(outcome);
  }
}

/** Why there was no answer. */
function toOutcome(error: unknown, signal: Signal): CallOutcome {
  if (hasLeft(signal)) return 'cancelled';
  return error instanceof RestError ? error.outcome : 'unreachable';
}

/**
 * Observes the events of one subscription: each is counted, timed and traced as an operation, but only the end of the
 * subscription has a line in the log, with what `tally` counts.
 */
export const observeEvents = (
  { metrics, tracing }: ObserverOptions,
  tally: { events: number; restCalls: number },
): ObserverOptions => ({
  metrics: metrics && { ...metrics, countOperation: metrics.countEvent },
  tracing,
  logOperation({ restCalls }) {
    tally.events += 1;
    tally.restCalls += restCalls;
  },
});
