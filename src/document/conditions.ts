import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode } from 'graphql';

/** The variables by which `@skip` and `@include` decide what one operation selects, also in the fragments that it spreads. */
export function readConditions(
  { selectionSet }: OperationDefinitionNode,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
): readonly string[] {
  const names = new Set<string>();
  // Iterating over a set also reaches what is added meanwhile.
  const sets = new Set([selectionSet]);
  for (const { selections } of sets) {
    for (const selection of selections) {
      // A valid document has no other directives at its selections.
      for (const { arguments: given = [] } of selection.directives ?? [])
        for (const { value } of given)
          if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      const below =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? fragments[selection.name.value]
          : selection;
      if (below?.selectionSet !== undefined) sets.add(below.selectionSet);
    }
  }
  return [...names];
}

/** More conditions than this are not told apart by bits. */
const MAX_BITS = 30;

/**
 * The values of conditions as one bit each. Null if there are too many, or if one is no Boolean: then the operation is
 * refused, and nothing of its request may be kept.
 */
export function toBits(
  names: readonly string[],
  values: Readonly<Record<string, unknown>>,
): number | null {
  if (names.length > MAX_BITS) return null;
  let bits = 0;
  for (const name of names) {
    const value = values[name];
    if (typeof value !== 'boolean') return null;
    bits = bits * 2 + Number(value);
  }
  return bits;
}
