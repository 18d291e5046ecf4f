import { costOf } from './declaration.ts';
import type { PricedOperation } from './price.ts';

/** Counts the ids that the root fields of an operation give in lists, without reading them. */
export function countGivenIds({
  schema,
  operation,
  selection,
  argumentsOf,
}: PricedOperation): number {
  const root = schema.getRootType(operation.operation);
  if (!root) return 0;
  let count = 0;
  for (const field of selection.fieldsOf(operation.selectionSet, root)) {
    const definition = root.getFields()[field.name.value];
    if (definition === undefined) continue;
    const cost = costOf(definition);
    if (cost?.kind !== 'fetch') continue;
    const ids = argumentsOf(definition, field)[cost.argument];
    if (Array.isArray(ids)) count += ids.length;
  }
  return count;
}
