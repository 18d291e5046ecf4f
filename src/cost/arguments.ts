import { type FieldNode, type GraphQLField, getArgumentValues } from 'graphql';
import type { SelectionContext } from '../document/selection.ts';
import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of a field; none if they do not fit, for then it is refused when it is executed, before any call. */
export function toArguments(
  definition: GraphQLField<unknown, unknown>,
  field: FieldNode,
  { variableValues }: SelectionContext,
): Arguments {
  try {
    return getArgumentValues(definition, field, variableValues);
  } catch {
    return {};
  }
}

/** How many items the page of a list has at most, with these arguments. */
export const toPageSize = ({ first, last }: Arguments, maxPageSize: number): number =>
  Number(first ?? last ?? Math.min(DEFAULT_PAGE_SIZE, maxPageSize));
