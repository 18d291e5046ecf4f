import {
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The fragments of a document by name. */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** A selection depends on these besides the document. Of the variables, only those of `@skip` and `@include` count. */
export interface SelectionContext {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly variableValues: Record<string, unknown>;
}

export type Selection = ReturnType<typeof createSelection>;

/** The fields of an object that can be derived from its id. */
const ID_FIELDS: readonly string[] = ['id', 'nodeId', '__typename'];

/** The selected fields of an operation. `fieldsOf` and `selectsOnlyIds` cache their results. */
export function createSelection(context: SelectionContext) {
  /** By type; under the empty text for any type. */
  const fields = new Map<SelectionSetNode, Map<string, readonly FieldNode[]>>();
  const onlyIds = new Map<SelectionSetNode, boolean>();
  return {
    /** The fields selected of an object of `type` (or of any type). */
    fieldsOf(
      selectionSet: SelectionSetNode | undefined,
      type?: GraphQLObjectType,
    ): readonly FieldNode[] {
      if (selectionSet === undefined) return [];
      const byType = fields.get(selectionSet) ?? new Map<string, readonly FieldNode[]>();
      fields.set(selectionSet, byType);
      const name = type?.name ?? '';
      const known = byType.get(name) ?? listFields([selectionSet], type, context);
      byType.set(name, known);
      return known;
    },
    selectsOnlyIds(selectionSet: SelectionSetNode | undefined): boolean {
      if (selectionSet === undefined) return true;
      const known = onlyIds.get(selectionSet) ?? selectsOnlyIds([selectionSet], context);
      onlyIds.set(selectionSet, known);
      return known;
    },
    /**
     * The fields to execute on an object of `type`, by their names in the answer, in its order: grouped as graphql does. See
     * "Field Collection" in its specification.
     */
    collect(
      selectionSets: readonly SelectionSetNode[],
      type: GraphQLObjectType,
    ): ReadonlyMap<string, readonly FieldNode[]> {
      const groups = new Map<string, FieldNode[]>();
      for (const field of listFields(selectionSets, type, context)) {
        const name = (field.alias ?? field.name).value;
        const group = groups.get(name);
        if (group === undefined) groups.set(name, [field]);
        else group.push(field);
      }
      return groups;
    },
  };
}

/** Whether only ids are selected of an object, so that it need not be fetched. */
export const selectsOnlyIds = (
  selectionSets: readonly SelectionSetNode[],
  context: SelectionContext,
): boolean =>
  listFields(selectionSets, undefined, context).every(({ name }) =>
    ID_FIELDS.includes(name.value),
  );

/** Whether the field `name` is selected of objects of any type. */
export const selectsField = (
  selectionSets: readonly SelectionSetNode[],
  name: string,
  context: SelectionContext,
): boolean =>
  listFields(selectionSets, undefined, context).some(
    (field) => field.name.value === name,
  );

/** How many fields are selected of objects of any type. */
export const countFields = (
  selectionSets: readonly SelectionSetNode[],
  context: SelectionContext,
): number => listFields(selectionSets, undefined, context).length;

/**
 * Makes a function that works something out of what a running field selects, once for each array of its nodes: all objects share it,
 * and all requests whose `@skip` and `@include` agree.
 */
export function memoizedByNodes<T>(
  work: (selectionSets: readonly SelectionSetNode[], info: GraphQLResolveInfo) => T,
): (info: GraphQLResolveInfo) => T {
  const known = new WeakMap<readonly FieldNode[], T>();
  return (info) => {
    const { fieldNodes } = info;
    let value = known.get(fieldNodes);
    if (value === undefined) {
      value = work(
        fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []),
        info,
      );
      known.set(fieldNodes, value);
    }
    return value;
  };
}

/** The fields selected of an object of `type` (or of any type), with fragments resolved and `@skip` and `@include` applied. */
function listFields(
  selectionSets: readonly SelectionSetNode[],
  type: GraphQLObjectType | undefined,
  context: SelectionContext,
): FieldNode[] {
  const fields: FieldNode[] = [];
  const spread = new Set<string>();
  const list = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (!isIncluded(selection, context)) continue;
      if (selection.kind === Kind.FIELD) {
        fields.push(selection);
        continue;
      }
      const fragment = toFragment(selection);
      if (fragment !== undefined && appliesTo(fragment, type, context))
        list(fragment.selectionSet);
    }
  };
  /** Undefined for a fragment that is spread again, which adds nothing. */
  const toFragment = (selection: InlineFragmentNode | FragmentSpreadNode) => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection;
    const name = selection.name.value;
    if (spread.has(name)) return undefined;
    spread.add(name);
    return context.fragments[name];
  };
  selectionSets.forEach(list);
  return fields;
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
