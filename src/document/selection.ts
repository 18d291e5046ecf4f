import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** What a selection depends on, besides the document. Of the variables, only those of `@skip` and `@include` count. */
export interface SelectionContext {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Record<string, unknown>;
}

/** What an operation selects. `fieldsOf` and `selectsOnlyIds` keep what they have computed. */
export interface Selection {
  /** The fields selected of an object of `type` (or of any type), in no particular order. */
  fieldsOf(
    selectionSet: SelectionSetNode | undefined,
    type?: GraphQLObjectType,
  ): readonly FieldNode[];
  selectsOnlyIds(selectionSet: SelectionSetNode | undefined): boolean;
  /** The fields to execute on an object of `type`, by their names in the answer, in its order. */
  collect(
    selectionSets: readonly SelectionSetNode[],
    type: GraphQLObjectType,
  ): ReadonlyMap<string, readonly FieldNode[]>;
}

/** The fields of an object that can be derived from its id. */
const ID_FIELDS: readonly string[] = ['id', 'nodeId', '__typename'];

export function createSelection(context: SelectionContext): Selection {
  /** By type; under the empty text for any type. */
  const fields = new Map<SelectionSetNode, Map<string, readonly FieldNode[]>>();
  const onlyIds = new Map<SelectionSetNode, boolean>();
  return {
    fieldsOf(selectionSet, type) {
      if (selectionSet === undefined) return [];
      const byType = fields.get(selectionSet) ?? new Map<string, readonly FieldNode[]>();
      fields.set(selectionSet, byType);
      const name = type?.name ?? '';
      const known = byType.get(name) ?? includedFields(selectionSet, context, type);
      byType.set(name, known);
      return known;
    },
    selectsOnlyIds(selectionSet) {
      if (selectionSet === undefined) return true;
      const known = onlyIds.get(selectionSet) ?? selectsOnlyIds([selectionSet], context);
      onlyIds.set(selectionSet, known);
      return known;
    },
    collect: (selectionSets, type) => collectFields(selectionSets, type, context),
  };
}

/** The fields selected of an object of `type` (or of any type), with fragments resolved and `@skip` and `@include` applied. */
function includedFields(
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
    if (fragment !== undefined && appliesTo(fragment, type, context)) {
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

/** Groups fields by their names in the answer, as graphql does. See "Field Collection" in its specification. */
function collectFields(
  selectionSets: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  context: SelectionContext,
): Map<string, FieldNode[]> {
  const groups = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (!isIncluded(selection, context)) continue;
      if (selection.kind === 'Field') {
        const name = (selection.alias ?? selection.name).value;
        const group = groups.get(name);
        if (group === undefined) groups.set(name, [selection]);
        else group.push(selection);
        continue;
      }
      if (selection.kind === 'FragmentSpread') {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      const fragment =
        selection.kind === 'FragmentSpread'
          ? context.fragments[selection.name.value]
          : selection;
      if (fragment !== undefined && appliesTo(fragment, type, context))
        collect(fragment.selectionSet);
    }
  };
  for (const selectionSet of selectionSets) collect(selectionSet);
  return groups;
}

function appliesTo(
  { typeCondition }: FragmentDefinitionNode | InlineFragmentNode,
  type: GraphQLObjectType | undefined,
  { schema }: SelectionContext,
): boolean {
  const name = typeCondition?.name.value;
  if (name === undefined || type === undefined || name === type.name) return true;
  const condition = schema.getType(name);
  return isAbstractType(condition) && schema.isSubType(condition, type);
}

function isIncluded(selection: SelectionNode, { variableValues }: SelectionContext) {
  if (selection.directives === undefined || selection.directives.length === 0)
    return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variableValues);
  return skip?.if !== true && include?.if !== false;
}
