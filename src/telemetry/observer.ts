import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Observe } from '../rest/observe.ts';
import type { Metrics } from './metrics.ts';
import { type CallOutcome, hasLeft, type OperationResult, toOutcome } from './outcome.ts';
import type { OperationTrace, Tracing } from './tracing.ts';

/** One operation, watched from its arrival to its answer. */
export interface Watch {
  /** Stands around each of its exchanges with the service. */
  readonly observe: Observe;
  /** It is an operation indeed: from here on it will be ended. */
  begin(): void;
  end(result: OperationResult): void;
}

export interface WatchOptions {
  readonly log: Logger;
  /** Null when nobody wants them. */
  readonly metrics: Metrics | null;
  readonly tracing: Tracing | null;
}

interface ObservedRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client leaves or the operation's time is up. */
  readonly signal: AbortSignal;
}

/** Watches one operation: one log line, its metrics, and its trace. */
export function watchOperation(
  { id, headers, signal: operationSignal }: ObservedRequest,
  { log, metrics, tracing }: WatchOptions,
): Watch {
  const arrived = performance.now();
  const along = { 'x-request-id': id };
  let trace: OperationTrace | null = null;
  let restCalls = 0;
  let restRetries = 0;

  return {
    async observe({ call, attempt, signal }, send) {
      if (attempt === 0) restCalls += 1;
      else restRetries += 1;
      const began = performance.now();
      const span = trace?.beginCall(call, attempt);
      let outcome: CallOutcome = 'unreachable';
      try {
        const answer = await (span ? span.run(send, along) : send(along));
        outcome = answer.status;
        return answer;
      } catch (error) {
        outcome = toOutcome(error, signal);
        throw error;
      } finally {
        metrics?.countCall({ call, attempt, outcome, ms: performance.now() - began });
        span?.end(outcome);
      }
    },
    begin() {
      trace = tracing?.beginOperation(headers) ?? null;
    },
    end(result) {
      const ms = performance.now() - arrived;
      const clientLeft = hasLeft(operationSignal);
      log.info(
        {
          requestId: id,
          ...(trace && { traceId: trace.traceId }),
          operation: result.name,
          type: result.type,
          restCalls,
          restRetries,
          durationMs: Math.round(ms * 10) / 10,
          codes: result.codes,
          ...(clientLeft && { clientLeft }),
        },
        'operation',
      );
      metrics?.countOperation({ ...result, clientLeft, ms });
      trace?.end(result);
    },
  };
}
