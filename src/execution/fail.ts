import type { ResponsePath } from 'graphql';
import type { PlannedField, Run, Slot } from './run.ts';

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
