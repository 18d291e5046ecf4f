import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { refusal } from './refusal.ts';

const CONDITIONS = ['skip', 'include'];

/**
 * Refuses a subscription if `@skip` or `@include` decides about its root field. The specification forbids that since 2025.
 * graphql 16 does not: its validation evaluates the directive without the values of the variables, and throws.
 */
export function refuseConditionalRoot({
  definitions,
}: DocumentNode): GraphQLError | null {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition);
  }
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    if (definition.operation !== OperationTypeNode.SUBSCRIPTION) continue;
    if (hasCondition(definition.selectionSet, fragments))
      return refusal(
        'GRAPHQL_VALIDATION_FAILED',
        'A subscription must not use @skip or @include at its root field: whether to subscribe is for the client to decide.',
      );
  }
  return null;
}

/** Whether a selection at the root, also in a fragment, has such a directive. */
function hasCondition(
  root: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): boolean {
  /** The selection sets at the root. A set keeps each once, and loops over what is added meanwhile. */
  const sets = new Set([root]);
  for (const { selections } of sets) {
    for (const selection of selections) {
      if (isConditional(selection)) return true;
      const inner =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? fragments.get(selection.name.value)?.selectionSet
          : selection.kind === Kind.INLINE_FRAGMENT && selection.selectionSet;
      if (inner) sets.add(inner);
    }
  }
  return false;
}

const isConditional = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name }) => CONDITIONS.includes(name.value));
