import type { ResponsePath } from 'graphql';
import { Pending } from './pending.ts';
import type { PlannedField, Run, Slot } from './run.ts';

/**
 * Completes a value, or a promise of one. If that fails, the value is null and its error is added to those of the answer;
 * where null is not allowed, the error is thrown, so that the object or list around the value fails. `parent` is the path of
 * that object or list, and `key` the value's name or index in it.
 */
export function settle(
  run: Run,
  field: PlannedField,
  slot: Slot,
  value: unknown,
  parent: ResponsePath | undefined,
  key: string | number,
): unknown {
  if (value instanceof Promise) {
    return new Awaited(run, field, slot, value, pathOf(field, parent, key));
  }
  if (slot.needsPath)
    return settleAt(run, field, slot, value, pathOf(field, parent, key));
  try {
    return slot.complete(run, field, value, undefined);
  } catch (thrown) {
    return run.errors.fail(field, slot, thrown, pathOf(field, parent, key));
  }
}

/** The same at a path that is known already, for a value that is not a promise. */
export function settleAt(
  run: Run,
  field: PlannedField,
  slot: Slot,
  value: unknown,
  path: ResponsePath | undefined,
): unknown {
  try {
    const completed = slot.complete(run, field, value, path);
    return completed instanceof Pending
      ? completed.errorPath(field, slot, path)
      : completed;
  } catch (thrown) {
    return run.errors.fail(field, slot, thrown, path);
  }
}

/** The value of a promise, completed when the promise has ended. */
export class Awaited extends Pending {
  constructor(
    run: Run,
    field: PlannedField,
    slot: Slot,
    value: Promise<unknown>,
    path: ResponsePath | undefined,
  ) {
    super(run);
    this.errorPath(field, slot, path);
    value.then(
      (resolved) => {
        const turn = run.turn();
        if (turn === undefined) this.#complete(run, field, slot, resolved, path);
        else void turn.then(() => this.#complete(run, field, slot, resolved, path));
      },
      (thrown) => this.fail(thrown),
    );
  }

  #complete(
    run: Run,
    field: PlannedField,
    slot: Slot,
    resolved: unknown,
    path: ResponsePath | undefined,
  ): void {
    let settled: unknown;
    try {
      settled = settleAt(run, field, slot, resolved, path);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.end(settled);
  }
}

export const pathOf = (
  { parentType }: PlannedField,
  prev: ResponsePath | undefined,
  key: string | number,
): ResponsePath => ({
  prev,
  key,
  typename: typeof key === 'string' ? parentType.name : undefined,
});
