import type { IncomingHttpHeaders } from 'node:http';
import { hasLeft, type Signal } from '../rest/abort.ts';
import type { CallObserver } from '../rest/observe.ts';
import type { CallLog } from './call-log.ts';
import type { LogOperation } from './log.ts';
import type { Metrics } from './metrics.ts';
import { type CallOutcome, type OperationResult, toOutcome } from './outcome.ts';
import type { OperationTrace, Tracing } from './tracing.ts';

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
  const requestId = { 'x-request-id': id };
  let trace: OperationTrace | null = null;
  let restCalls = 0;
  let restRetries = 0;

  return {
    calls: {
      async attempt({ call, number, signal }, send) {
        if (number === 0) restCalls += 1;
        else restRetries += 1;
        const began = performance.now();
        const span = trace?.beginCall(call, number);
        let outcome: CallOutcome = 'unreachable';
        try {
          const answer = await (span ? span.run(send, requestId) : send(requestId));
          outcome = answer.status;
          return answer;
        } catch (error) {
          outcome = toOutcome(error, signal);
          throw error;
        } finally {
          const ms = performance.now() - began;
          metrics?.countCall({ call, attempt: number, outcome, ms });
          span?.end(outcome);
        }
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
