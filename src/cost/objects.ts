import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { includedFields, type SelectionContext } from '../document/selection.ts';
import { type Arguments, toArguments, toPageSize } from './arguments.ts';

/** An id that is given costs work even where it is junk and fetches nothing; so many objects' worth. */
const OBJECTS_PER_GIVEN_ID = 20;

export interface Counted {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly selectionContext: SelectionContext;
  /** A page asked to be longer is refused, and holds nothing. Unit: items. */
  readonly maxPageSize: number;
}

/**
 * How many objects an answer may hold. Calls do not bound that: a link back to what is here costs none, and the same page
 * under each of a hundred messages is a hundred pages in the answer. Linear in the document, however it nests fragments.
 */
export function countObjects({
  schema,
  operation,
  selectionContext,
  maxPageSize,
}: Counted): number {
  const counted = new Map<SelectionSetNode, Map<string, number>>();
  const root = schema.getRootType(operation.operation);
  return root ? below(root, operation.selectionSet) : 0;

  /** Objects below one object of a type; each selection is counted once for each type. */
  function below(
    type: GraphQLObjectType,
    selectionSet: SelectionSetNode | undefined,
  ): number {
    if (selectionSet === undefined) return 0;
    const byType = counted.get(selectionSet) ?? new Map<string, number>();
    counted.set(selectionSet, byType);
    const known = byType.get(type.name);
    if (known !== undefined) return known;
    let sum = 0;
    for (const field of includedFields(selectionSet, selectionContext, type))
      sum += of(type, field);
    byType.set(type.name, sum);
    return sum;
  }

  function of(parent: GraphQLObjectType, field: FieldNode): number {
    const definition = parent.getFields()[field.name.value];
    if (definition === undefined) return 0;
    const type = getNamedType(definition.type);
    const types = isObjectType(type)
      ? [type]
      : isAbstractType(type)
        ? schema.getPossibleTypes(type)
        : [];
    const each = 1 + Math.max(0, ...types.map((one) => below(one, field.selectionSet)));
    const args = toArguments(definition, field, selectionContext);
    const { nodeIds } = args;
    if (Array.isArray(nodeIds)) return nodeIds.length * (each + OBJECTS_PER_GIVEN_ID);
    const isPaged = definition.args.some(({ name }) => name === 'first');
    return isPaged ? each * toItems(args) : each;
  }

  function toItems(args: Arguments): number {
    const size = toPageSize(args, maxPageSize);
    return size > 0 && size <= maxPageSize ? size : 1;
  }
}
