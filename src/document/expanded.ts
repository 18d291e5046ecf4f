import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql';

/**
 * How many selections the largest operation of a document has, counted again wherever a fragment is spread: a few dozen
 * fragments may make a million. What is worked out of an operation grows with them. The document has no cycles.
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
    for (const node of set.selections) {
      const inner =
        node.kind === Kind.FRAGMENT_SPREAD
          ? fragments.get(node.name.value)
          : node.selectionSet;
      count += 1 + below(inner);
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
