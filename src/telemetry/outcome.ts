import { hasLeft, type Signal } from '../rest/abort.ts';
import { type CallOutcome, RestError } from '../rest/errors.ts';

/** The result of an operation, for log, metrics and trace. */
export interface OperationResult {
  /** Null if the document could not be read, or it was unclear which operation to execute. */
  readonly type: 'query' | 'mutation' | 'subscription' | null;
  /** Its name, without the token, which a client may have written there; null if it has none. */
  readonly name: string | null;
  /** The codes of its errors, each once, sorted. */
  readonly codes: readonly string[];
}

/** Why there was no answer. */
export function toOutcome(error: unknown, signal: Signal): CallOutcome {
  if (hasLeft(signal)) return 'cancelled';
  return error instanceof RestError ? error.outcome : 'unreachable';
}

/** One of ten labels: `2xx` and the like, or why there was no answer. A service may invent statuses, so none is a label. */
export function outcomeClass(outcome: CallOutcome): string {
  if (typeof outcome !== 'number') return outcome;
  return outcome >= 100 && outcome < 600 ? `${Math.floor(outcome / 100)}xx` : 'other';
}
