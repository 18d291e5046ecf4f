import type { ResponsePath } from 'graphql';
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
    return settleLater(run, field, slot, value, parent, key);
  }
  const path = slot.needsPath ? pathOf(field, parent, key) : undefined;
  try {
    const completed = slot.complete(run, field, value, path);
    return completed instanceof Promise
      ? orFail(run, field, slot, completed, path)
      : completed;
  } catch (thrown) {
    return fail(run, field, slot, thrown, path ?? pathOf(field, parent, key));
  }
}

/*
 * What waits for a promise is a function of its own, here and in execute.ts: V8 allocates what closures capture when their
 * function begins, for each value of an answer, even if no closure is made.
 */

function settleLater(
  run: Run,
  field: PlannedField,
  slot: Slot,
  value: Promise<unknown>,
  parent: ResponsePath | undefined,
  key: string | number,
): Promise<unknown> {
  return value.then(
    (resolved) => settle(run, field, slot, resolved, parent, key),
    (thrown) => fail(run, field, slot, thrown, pathOf(field, parent, key)),
  );
}

const orFail = (
  run: Run,
  field: PlannedField,
  slot: Slot,
  completed: Promise<unknown>,
  path: ResponsePath | undefined,
): Promise<unknown> => completed.catch((thrown) => fail(run, field, slot, thrown, path));

/** The value is null, with an error; or the error is thrown, where null is not allowed. */
export function fail(
  { errors }: Run,
  { nodes }: PlannedField,
  { isNonNull }: Slot,
  thrown: unknown,
  path: ResponsePath | undefined,
): null {
  const error = errors.locate(thrown, nodes, path);
  if (isNonNull) throw error;
  errors.add(error, path);
  return null;
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

/** Fails, but only after the other values of the object or list have ended, which may fail too. */
export async function failAfter(
  values: readonly unknown[],
  error: unknown,
): Promise<never> {
  await Promise.allSettled(values);
  throw error;
}

/** An object, or a list, when the promises at these keys have been replaced by their values. */
export const whenFilled = <T extends object>(
  container: T,
  keys: readonly (keyof T)[],
): Promise<T> =>
  new Promise((resolve, reject) => {
    let left = keys.length;
    for (const key of keys) {
      (container[key] as Promise<T[keyof T]>).then((value) => {
        container[key] = value;
        left -= 1;
        if (left === 0) resolve(container);
      }, reject);
    }
  });
