import {
  type DocumentNode,
  type FieldNode,
  Kind,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

/**
 * Merges repeated selections, such as `{ id id }`, without changing the result. graphql's validation compares repeated
 * selections pair by pair, and refuses the document after some seven hundred of them.
 */
export const dedupeSelections = (document: DocumentNode): DocumentNode =>
  visit(document, { SelectionSet: { enter: mergeRepeated } });

/** Undefined if there is nothing to merge. */
function mergeRepeated(set: SelectionSetNode): SelectionSetNode | undefined {
  const seen = new Set<string>();
  const merged: SelectionNode[] = [];
  let lastKey: string | null = null;
  for (const selection of set.selections) {
    const key = toKey(selection);
    const last = merged.at(-1);
    if (hasSelections(selection)) {
      // Joins only adjacent selections: one between them may add fields to the same object, in another order.
      if (hasSelections(last) && key === lastKey)
        merged[merged.length - 1] = join(last, selection);
      else merged.push(selection);
    } else if (key === null || !seen.has(key)) {
      merged.push(selection);
    }
    if (key !== null) seen.add(key);
    lastKey = key;
  }
  return merged.length === set.selections.length
    ? undefined
    : { ...set, selections: merged };
}

type ObjectField = FieldNode & { readonly selectionSet: SelectionSetNode };

const hasSelections = (selection: SelectionNode | undefined): selection is ObjectField =>
  selection?.kind === Kind.FIELD && selection.selectionSet !== undefined;

/** Equal for selections that select the same; null for inline fragments, which are never merged. */
function toKey(selection: SelectionNode): string | null {
  if (selection.kind === Kind.INLINE_FRAGMENT) return null;
  const { name, directives = [] } = selection;
  const conditions = directives.map(print).join(' ');
  if (selection.kind === Kind.FRAGMENT_SPREAD) return `...${name.value} ${conditions}`;
  const { alias, arguments: args = [] } = selection;
  return `${alias?.value ?? ''}:${name.value}(${args.map(print).join(',')}) ${conditions}`;
}

const join = (one: ObjectField, other: ObjectField): ObjectField => ({
  ...one,
  selectionSet: {
    ...one.selectionSet,
    selections: [...one.selectionSet.selections, ...other.selectionSet.selections],
  },
});
