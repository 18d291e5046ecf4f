import type { IncomingHttpHeaders } from 'node:http';
import { hasLeft, type Signal } from '../rest/abort.ts';
import type { Attempt, CallObserver, ObservedAttempt } from '../rest/observe.ts';
import type { HttpRequest, HttpResponse, Outcome, SendRequest } from '../rest/request.ts';
import type { CallLog } from './call-log.ts';
import type { LogOperation } from './log.ts';
import type { Metrics } from './metrics.ts';
import { type CallOutcome, type OperationResult, toOutcome } from './outcome.ts';
import type { CallTrace, OperationTrace, Tracing } from './tracing.ts';

/** Observes one operation from its arrival to its answer. */
export interface OperationObserver {
  /** Observes its calls to the service. */
  readonly calls: CallObserver;
  /** Runs when the request proves to be an operation. After it, `end` runs in any case. */
  begin(): void;
  end(result: OperationResult): void;
}

export interface ObserverOptions {
  readonly logOperation: LogOperation;
  /** Null: no metrics. */
  readonly metrics: Metrics | null;
  readonly tracing: Tracing | null;
}

interface ObservedRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client leaves or the operation's time is up. */
  readonly signal: Signal;
  readonly callLog: CallLog | null;
}

/** Turns one operation into a log line, metrics and a trace. */
export function observeOperation(
  { id, headers, signal: operationSignal, callLog }: ObservedRequest,
  { logOperation, metrics, tracing }: ObserverOptions,
): OperationObserver {
  const arrived = performance.now();
  let trace: OperationTrace | null = null;
  let restCalls = 0;
  let restRetries = 0;

  return {
    calls: {
      headers: { 'x-request-id': id },
      begin(attempt) {
        if (attempt.number === 0) restCalls += 1;
        else restRetries += 1;
        const span = trace?.beginCall(attempt.call, attempt.number) ?? null;
        return new Observed(attempt, metrics, span);
      },
      ended: callLog?.add ?? null,
    },
    begin() {
      trace = tracing?.beginOperation(headers) ?? null;
    },
    end(result) {
      const ms = performance.now() - arrived;
      const clientLeft = hasLeft(operationSignal);
      logOperation({
        requestId: id,
        traceId: trace?.traceId,
        operation: result.name,
        type: result.type,
        restCalls,
        restRetries,
        durationMs: Math.round(ms * 10) / 10,
        codes: result.codes,
        clientLeft: clientLeft || undefined,
      });
      metrics?.countOperation({ ...result, clientLeft, ms });
      trace?.end(result);
    },
  };
}

/** Observes the calls of a look at a list that is watched, which belong to no operation. */
export const observeLook = (id: string, metrics: Metrics | null): CallObserver => ({
  headers: { 'x-request-id': id },
  begin: (attempt) => new Observed(attempt, metrics, null),
  ended: null,
});

class Observed implements ObservedAttempt {
  readonly #began = performance.now();
  readonly #attempt: Attempt;
  readonly #metrics: Metrics | null;
  readonly #span: CallTrace | null;

  constructor(attempt: Attempt, metrics: Metrics | null, span: CallTrace | null) {
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
    const { call, number } = this.#attempt;
    const ms = performance.now() - this.#began;
    this.#metrics?.countCall({ call, attempt: number, outcome, ms });
    this.#span?.end(outcome);
  }
}
