import type { ResponsePath } from 'graphql';
import type { PlannedField, Run, Slot } from './run.ts';

/** Receives a value of the answer: an object, a list, or the promise of the whole answer. */
interface Holder {
  onValue(key: string | number, value: unknown): void;
  onError(error: unknown): void;
}

/**
 * A value of the answer that comes in a later turn, and then calls its holder. It is not a promise: an answer has hundreds
 * of pending values, and each would need several promises.
 */
export abstract class Pending {
  readonly #run: Run;
  #holder!: Holder;
  #key: string | number = '';
  #field: PlannedField | null = null;
  #slot: Slot | null = null;
  #path: ResponsePath | undefined;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Names the holder, and the value's key there. To be called at once: the value may come in the next microtask. */
  onSettle(holder: Holder, key: string | number): void {
    this.#holder = holder;
    this.#key = key;
  }

  /** Where its error belongs if it fails: the value is null there or, where null is not allowed, the holder fails. */
  errorPath(field: PlannedField, slot: Slot, path: ResponsePath | undefined): this {
    this.#field = field;
    this.#slot = slot;
    this.#path = path;
    return this;
  }

  protected end(value: unknown): void {
    // A value that came later may be an object with pending values of its own.
    if (value instanceof Pending) value.onSettle(this.#holder, this.#key);
    else this.#holder.onValue(this.#key, value);
  }

  protected fail(thrown: unknown): void {
    let value: null;
    try {
      // Only the root of the answer has no place.
      if (this.#field === null || this.#slot === null) throw thrown;
      value = this.#run.errors.fail(this.#field, this.#slot, thrown, this.#path);
    } catch (error) {
      this.#holder.onError(error);
      return;
    }
    this.end(value);
  }
}

/**
 * An object or a list of the answer with pending values. It ends when all of them have ended, and fails then if one of them has
 * failed: the next field of a mutation waits for it, and must not run beside what is left of this one.
 */
export class PendingContainer extends Pending implements Holder {
  readonly #values: Record<string | number, unknown>;
  #missing = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor(run: Run, values: object) {
    super(run);
    this.#values = values as Record<string | number, unknown>;
  }

  /** Adds a pending value. `undefined` keeps its place, so that the fields stay in order. */
  add(key: string | number, value: Pending): void {
    this.#values[key] = undefined;
    this.#missing += 1;
    value.onSettle(this, key);
  }

  /** Adds more values after this turn, unless one has failed by then. It does not end before. */
  goOn(turn: Promise<void>, addRest: () => void): this {
    this.#missing += 1;
    void turn.then(() => {
      if (this.#failure === null) addRest();
      this.#leave();
    });
    return this;
  }

  /** It fails with the first error, but not before its pending values have ended. Their own errors are dropped. */
  failLast(error: unknown): this {
    this.#failure ??= { error };
    return this;
  }

  onValue(key: string | number, value: unknown): void {
    this.#values[key] = value;
    this.#leave();
  }

  onError(error: unknown): void {
    this.failLast(error).#leave();
  }

  #leave(): void {
    this.#missing -= 1;
    if (this.#missing > 0) return;
    if (this.#failure === null) this.end(this.#values);
    else this.fail(this.#failure.error);
  }
}

/** The value as a promise. */
export const promiseOf = (pending: Pending): Promise<unknown> =>
  new Promise((resolve, reject) => {
    pending.onSettle({ onValue: (_key, value) => resolve(value), onError: reject }, '');
  });
