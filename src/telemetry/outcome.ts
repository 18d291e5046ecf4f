import { isTimeUp } from '../rest/breaker.ts';
import { OverloadedError, RestDecodeError, RestNetworkError } from '../rest/errors.ts';

/** What is reported of an operation that has been answered. */
export interface OperationResult {
  /** Null if the document could not be read, or it was unclear which operation to execute. */
  readonly type: 'query' | 'mutation' | 'subscription' | null;
  /** Its name, without the token, which a client may have written there; null if it has none. */
  readonly name: string | null;
  /** The codes of its errors, each once, sorted. */
  readonly codes: readonly string[];
}

/** How an attempt of a call ended: the status of the answer, or why there was none. */
export type CallOutcome = number | 'timeout' | 'unreachable' | 'cancelled' | 'invalid';

/** Why there was no answer. `cancelled`: nobody waited for it, or it was refused while it waited for its turn. */
export function toOutcome(error: unknown, signal: AbortSignal): CallOutcome {
  if (hasLeft(signal) || error instanceof OverloadedError) return 'cancelled';
  if (error instanceof RestNetworkError) return error.kind;
  return error instanceof RestDecodeError ? 'invalid' : 'unreachable';
}

/** Whether the client has left; otherwise its time may be up. */
export const hasLeft = (signal: AbortSignal): boolean =>
  signal.aborted && !isTimeUp(signal);

/** One of ten labels: `2xx` and the like, or why there was no answer. A service may invent statuses, so none is a label. */
export function outcomeClass(outcome: CallOutcome): string {
  if (typeof outcome !== 'number') return outcome;
  return outcome >= 100 && outcome < 600 ? `${Math.floor(outcome / 100)}xx` : 'other';
}
