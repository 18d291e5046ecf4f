import {
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { includedFields } from '../document/selection.ts';
import { BadPageError } from '../paging/errors.ts';
import { costOf } from './declaration.ts';
import type { PricedOperation } from './estimate.ts';

/** Each id in a list of ids costs as much work as this many objects, even if it is invalid and fetches nothing. */
const OBJECTS_PER_GIVEN_ID = 20;

/**
 * Counts the objects that an answer may hold. The number of calls does not bound it: a link back to a known object costs
 * no call, so one page under each of a hundred messages is a hundred pages in the answer. Takes time linear in the
 * document, even if fragments are nested.
 */
export function countObjects({
  schema,
  operation,
  selection,
  argumentsOf,
  pageOf,
}: PricedOperation): number {
  const counted = new Map<SelectionSetNode, Map<string, number>>();
  const root = schema.getRootType(operation.operation);
  return root ? countBelow(root, operation.selectionSet) : 0;

  /** The objects below one object of a type; each selection set is counted once for each type. */
  function countBelow(
    type: GraphQLObjectType,
    selectionSet: SelectionSetNode | undefined,
  ): number {
    if (selectionSet === undefined) return 0;
    const byType = counted.get(selectionSet) ?? new Map<string, number>();
    counted.set(selectionSet, byType);
    const known = byType.get(type.name);
    if (known !== undefined) return known;
    let sum = 0;
    for (const field of includedFields(selectionSet, selection, type))
      sum += countField(type, field);
    byType.set(type.name, sum);
    return sum;
  }

  function countField(parent: GraphQLObjectType, field: FieldNode): number {
    const definition = parent.getFields()[field.name.value];
    if (definition === undefined) return 0;
    const type = getNamedType(definition.type);
    const types = isObjectType(type)
      ? [type]
      : isAbstractType(type)
        ? schema.getPossibleTypes(type)
        : [];
    const each =
      1 + Math.max(0, ...types.map((one) => countBelow(one, field.selectionSet)));
    const cost = costOf(definition);
    if (cost?.kind === 'fetch') {
      const ids = argumentsOf(definition, field)[cost.argument];
      return Array.isArray(ids) ? ids.length * (each + OBJECTS_PER_GIVEN_ID) : each;
    }
    if (cost?.kind !== 'list') return each;
    const page = pageOf(field, argumentsOf(definition, field));
    return page instanceof BadPageError ? each : each * page.size;
  }
}
