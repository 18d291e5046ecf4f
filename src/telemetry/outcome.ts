import { hasLeft, type Signal } from '../rest/abort.ts';
import {
  OverloadedError,
  RestDecodeError,
  RestNetworkError,
  TooManyBytesError,
} from '../rest/errors.ts';

/** The result of an operation, for log, metrics and trace. */
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

/** Why there was no answer. `cancelled`: nobody waited for it, it was refused in the queue, or there was no room for it. */
export function toOutcome(error: unknown, signal: Signal): CallOutcome {
  if (hasLeft(signal)) return 'cancelled';
  if (error instanceof RestNetworkError) return error.kind;
  if (error instanceof TooManyBytesError || error instanceof OverloadedError)
    return 'cancelled';
  return error instanceof RestDecodeError ? 'invalid' : 'unreachable';
}

/** One of ten labels: `2xx` and the like, or why there was no answer. A service may invent statuses, so none is a label. */
export function outcomeClass(outcome: CallOutcome): string {
  if (typeof outcome !== 'number') return outcome;
  return outcome >= 100 && outcome < 600 ? `${Math.floor(outcome / 100)}xx` : 'other';
}
