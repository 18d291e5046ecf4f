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

/** What gives the selections of an operation their meaning. */
export interface SelectionContext {
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Record<string, unknown>;
}

/** Fields that are known of an object as soon as its id is. */
const ID_FIELDS: readonly string[] = ['id', 'nodeId', '__typename'];

/** The fields that are asked of an object, fragments resolved, `@skip` and `@include` obeyed; of any type, if none is given. */
export function includedFields(
  selectionSet: SelectionSetNode | undefined,
  selectionContext: SelectionContext,
  type?: GraphQLObjectType,
): FieldNode[] {
  const seen = new Set<string>();
  const fields: FieldNode[] = [];
  const open = [...(selectionSet?.selections ?? [])];
  for (let selection = open.shift(); selection; selection = open.shift()) {
    if (!isIncluded(selection, selectionContext)) continue;
    if (selection.kind === 'Field') {
      fields.push(selection);
      continue;
    }
    // A fragment that is spread twice adds nothing the second time.
    if (selection.kind === 'FragmentSpread' && seen.has(selection.name.value)) continue;
    if (selection.kind === 'FragmentSpread') seen.add(selection.name.value);
    const fragment =
      selection.kind === 'FragmentSpread'
        ? selectionContext.fragments[selection.name.value]
        : selection;
    if (fragment !== undefined && isOf(fragment.typeCondition?.name.value, type)) {
      open.push(...fragment.selectionSet.selections);
    }
  }
  return fields;
}

/** Whether nothing but ids is asked of an object: then it need not be fetched. */
export const asksOnlyForIds = (
  selectionSets: readonly (SelectionSetNode | undefined)[],
  selectionContext: SelectionContext,
): boolean =>
  selectionSets.every((selectionSet) =>
    includedFields(selectionSet, selectionContext).every(({ name }) =>
      ID_FIELDS.includes(name.value),
    ),
  );

const isOf = (
  condition: string | undefined,
  type: GraphQLObjectType | undefined,
): boolean =>
  condition === undefined ||
  type === undefined ||
  condition === type.name ||
  type.getInterfaces().some(({ name }) => name === condition);

function isIncluded(
  selection: SelectionNode,
  { variableValues }: SelectionContext,
): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variableValues);
  return skip?.if !== true && include?.if !== false;
}
