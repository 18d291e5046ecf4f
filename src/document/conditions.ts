import {
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { refusal } from './refusal.ts';

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** Every selection of a set once, with those of the sets that `below` returns for it. */
function* selectionsOf(
  root: SelectionSetNode,
  below: (selection: SelectionNode) => SelectionSetNode | undefined,
): Iterable<SelectionNode> {
  // Iterating over a set also reaches what is added meanwhile.
  const sets = new Set([root]);
  for (const { selections } of sets) {
    for (const selection of selections) {
      yield selection;
      const inner = below(selection);
      if (inner !== undefined) sets.add(inner);
    }
  }
}

const setOf = (
  selection: SelectionNode,
  fragments: Fragments,
): SelectionSetNode | undefined =>
  selection.kind === Kind.FRAGMENT_SPREAD
    ? fragments[selection.name.value]?.selectionSet
    : selection.selectionSet;

/** The variables by which `@skip` and `@include` decide what one operation selects, also in the fragments that it spreads. */
export function readConditions(
  { selectionSet }: OperationDefinitionNode,
  fragments: Fragments,
): readonly string[] {
  const names = new Set<string>();
  for (const { directives } of selectionsOf(selectionSet, (one) => setOf(one, fragments)))
    for (const name of variablesOf(directives)) names.add(name);
  return [...names];
}

/** A valid document has no other directives at its selections. */
function* variablesOf(directives: readonly DirectiveNode[] = []): Iterable<string> {
  for (const { arguments: given = [] } of directives) {
    for (const { value } of given)
      if (value.kind === Kind.VARIABLE) yield value.name.value;
  }
}

const CONDITIONS = ['skip', 'include'];

/**
 * Refuses a subscription if `@skip` or `@include` decides about its root field. The specification forbids that since 2025.
 * graphql 16 does not: its validation evaluates the directive without the values of the variables, and throws.
 */
export function refuseConditionalRoot(
  { definitions }: DocumentNode,
  fragments: Fragments,
): GraphQLError | null {
  for (const node of definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    if (node.operation !== OperationTypeNode.SUBSCRIPTION) continue;
    const atRoot = selectionsOf(node.selectionSet, (one) =>
      one.kind === Kind.FIELD ? undefined : setOf(one, fragments),
    );
    for (const { directives = [] } of atRoot)
      if (directives.some(({ name }) => CONDITIONS.includes(name.value)))
        return refusal(
          'GRAPHQL_VALIDATION_FAILED',
          'A subscription must not use @skip or @include at its root field: whether to subscribe is for the client to decide.',
        );
  }
  return null;
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
