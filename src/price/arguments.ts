import { type FieldNode, type GraphQLField, getArgumentValues } from 'graphql';
import type { Surroundings } from '../selection.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of a field; none if they do not fit, for then it is refused when it is executed, before any call. */
export function toArguments(
  definition: GraphQLField<unknown, unknown>,
  field: FieldNode,
  { variableValues }: Surroundings,
): Arguments {
  try {
    return getArgumentValues(definition, field, variableValues);
  } catch {
    return {};
  }
}
