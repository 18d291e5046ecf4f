import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql';

/**
 * How many selections the largest operation of a document has, counted again wherever a fragment is spread: a few dozen
 * fragments may make a million. What is worked out of an operation grows with them. Only the first spread of a fragment
 * in a set counts: the others add nothing. The document has no cycles.
 */
export function countSelections({ definitions }: DocumentNode): number {
  const fragments = new Map<string, SelectionSetNode>();
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(node.name.value, node.selectionSet);
  }
  /** Each selection set is counted once. */
  const counted = new Map<SelectionSetNode, number>();

  function below(set: SelectionSetNode | undefined): number {
    if (set === undefined) return 0;
    const known = counted.get(set);
    if (known !== undefined) return known;
    let count = 0;
    const spread = new Set<string>();
    for (const node of set.selections) {
      count += 1;
      if (node.kind !== Kind.FRAGMENT_SPREAD) count += below(node.selectionSet);
      else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        count += below(fragments.get(node.name.value));
      }
    }
    counted.set(set, count);
    return count;
  }

  let most = 0;
  for (const node of definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION)
      most = Math.max(most, below(node.selectionSet));
  }
  return most;
}
