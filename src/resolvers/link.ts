import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Fields that are known of an object as soon as its id is. */
const FREE_FIELDS: readonly string[] = ['id', 'nodeId', '__typename'];

/** The object behind an id; if nothing but its id is asked for, that costs no call. */
export async function followLink<T extends { readonly id: string }>(
  id: string,
  load: (id: string) => Promise<T | null>,
  info: GraphQLResolveInfo,
): Promise<T | null> {
  // What is not selected is not resolved, so an object with an id alone will do.
  return asksOnlyForIds(info) ? ({ id } as T) : load(id);
}

function asksOnlyForIds(info: GraphQLResolveInfo): boolean {
  return info.fieldNodes.every(({ selectionSet }) => holdsOnlyIds(selectionSet, info));
}

function holdsOnlyIds(
  selectionSet: SelectionSetNode | undefined,
  info: GraphQLResolveInfo,
): boolean {
  return (selectionSet?.selections ?? []).every((selection) => {
    if (!isIncluded(selection, info)) return true;
    if (selection.kind === 'Field') return FREE_FIELDS.includes(selection.name.value);
    return holdsOnlyIds(toFragment(selection, info)?.selectionSet, info);
  });
}

const toFragment = (
  selection: Exclude<SelectionNode, FieldNode>,
  { fragments }: GraphQLResolveInfo,
): { readonly selectionSet: SelectionSetNode } | FragmentDefinitionNode | undefined =>
  selection.kind === 'InlineFragment' ? selection : fragments[selection.name.value];

function isIncluded(
  selection: SelectionNode,
  { variableValues }: GraphQLResolveInfo,
): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variableValues);
  return skip?.if !== true && include?.if !== false;
}
