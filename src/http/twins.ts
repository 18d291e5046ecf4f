import {
  type DocumentNode,
  Kind,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

/**
 * The document with selections that stand twice, `{ id id }`, merged into one, which means the same. graphql compares each
 * pair of them when it validates, and gives up on some seven hundred.
 */
export const mergeTwins = (document: DocumentNode): DocumentNode =>
  visit(document, { SelectionSet: { enter: mergeSelections } });

function mergeSelections(set: SelectionSetNode): SelectionSetNode | undefined {
  const merged = new Map<string, SelectionNode>();
  // A fragment between two objects may select of the same one; joined, their fields would come in another order.
  const hasFragments = set.selections.some(({ kind }) => kind !== Kind.FIELD);
  for (const [index, selection] of set.selections.entries()) {
    const isObject =
      selection.kind === Kind.FIELD && selection.selectionSet !== undefined;
    const key = (isObject && hasFragments ? null : toKey(selection)) ?? `#${index}`;
    const twin = merged.get(key);
    merged.set(key, twin === undefined ? selection : join(twin, selection));
  }
  // Undefined: nothing is to be changed here.
  return merged.size === set.selections.length
    ? undefined
    : { ...set, selections: [...merged.values()] };
}

/** The same for selections that select the same; null for what is never merged. */
function toKey(selection: SelectionNode): string | null {
  if (selection.kind === Kind.INLINE_FRAGMENT) return null;
  const { name, directives = [] } = selection;
  const conditions = directives.map(print).join(' ');
  if (selection.kind === Kind.FRAGMENT_SPREAD) return `...${name.value} ${conditions}`;
  const { alias, arguments: args = [] } = selection;
  return `${alias?.value ?? ''}:${name.value}(${args.map(print).join(',')}) ${conditions}`;
}

function join(one: SelectionNode, other: SelectionNode): SelectionNode {
  if (one.kind !== Kind.FIELD || other.kind !== Kind.FIELD) return one;
  if (!one.selectionSet || !other.selectionSet) return one;
  const selections = [...one.selectionSet.selections, ...other.selectionSet.selections];
  return { ...one, selectionSet: { ...one.selectionSet, selections } };
}
