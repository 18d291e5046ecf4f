import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  GraphQLSkipDirective,
  getDirectiveValues,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The fragments and variables that a selection depends on. */
export interface SelectionContext {
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Record<string, unknown>;
}

/** The fields of an object that can be derived from its id. */
const ID_FIELDS: readonly string[] = ['id', 'nodeId', '__typename'];

/** The fields selected of an object of `type` (or of any type), with fragments resolved and `@skip` and `@include` applied. */
export function includedFields(
  selectionSet: SelectionSetNode | undefined,
  context: SelectionContext,
  type?: GraphQLObjectType,
): FieldNode[] {
  const seen = new Set<string>();
  const fields: FieldNode[] = [];
  const open = [...(selectionSet?.selections ?? [])];
  for (let selection = open.shift(); selection; selection = open.shift()) {
    if (!isIncluded(selection, context)) continue;
    if (selection.kind === 'Field') {
      fields.push(selection);
      continue;
    }
    // Spreading a fragment a second time adds nothing.
    if (selection.kind === 'FragmentSpread' && seen.has(selection.name.value)) continue;
    if (selection.kind === 'FragmentSpread') seen.add(selection.name.value);
    const fragment =
      selection.kind === 'FragmentSpread'
        ? context.fragments[selection.name.value]
        : selection;
    if (fragment !== undefined && appliesTo(fragment.typeCondition?.name.value, type)) {
      open.push(...fragment.selectionSet.selections);
    }
  }
  return fields;
}

/** Whether only ids are selected of an object, so that it need not be fetched. */
export const selectsOnlyIds = (
  selectionSets: readonly (SelectionSetNode | undefined)[],
  context: SelectionContext,
): boolean =>
  selectionSets.every((selectionSet) =>
    includedFields(selectionSet, context).every(({ name }) =>
      ID_FIELDS.includes(name.value),
    ),
  );

const appliesTo = (
  condition: string | undefined,
  type: GraphQLObjectType | undefined,
): boolean =>
  condition === undefined ||
  type === undefined ||
  condition === type.name ||
  type.getInterfaces().some(({ name }) => name === condition);

function isIncluded(selection: SelectionNode, { variableValues }: SelectionContext) {
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variableValues);
  return skip?.if !== true && include?.if !== false;
}
