import { isTimeUp } from '../rest/breaker.ts';
import { RestDecodeError, RestNetworkError } from '../rest/errors.ts';

/** What is told of an operation that has been answered. */
export interface OperationResult {
  /** Null where the operation could not be read, or told from others. */
  readonly type: 'query' | 'mutation' | 'subscription' | null;
  /** Its name, which is the client's text, without the token; null if it has none. */
  readonly name: string | null;
  /** The codes of its errors, each once, in the order of the alphabet. */
  readonly codes: readonly string[];
}

/** How an exchange with the service ended: the status of its answer, or why there was none. */
export type CallOutcome = number | 'timeout' | 'unreachable' | 'cancelled' | 'invalid';

/** Why there was no answer. `cancelled`: nobody waited for it any more. */
export function toOutcome(error: unknown, signal: AbortSignal): CallOutcome {
  if (hasLeft(signal)) return 'cancelled';
  if (error instanceof RestNetworkError) return error.kind;
  return error instanceof RestDecodeError ? 'invalid' : 'unreachable';
}

/** Whether whoever waited has left, rather than run out of time. */
export const hasLeft = (signal: AbortSignal): boolean =>
  signal.aborted && !isTimeUp(signal);

/** One of ten words: `2xx` and its like, or why there was no answer. A service may invent statuses. */
export function outcomeClass(outcome: CallOutcome): string {
  if (typeof outcome !== 'number') return outcome;
  return outcome >= 100 && outcome < 600 ? `${Math.floor(outcome / 100)}xx` : 'other';
}
