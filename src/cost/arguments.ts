import { type FieldNode, type GraphQLField, getArgumentValues } from 'graphql';
import type { SelectionContext } from '../document/selection.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** Reads the arguments of a field. */
export type ReadArguments = (
  definition: GraphQLField<unknown, unknown>,
  field: FieldNode,
) => Arguments;

/**
 * Reads the arguments of the fields of one operation, once for each field. Invalid arguments read as none, because
 * execution refuses their field before any call.
 */
export function createArgumentReader({
  variableValues,
}: SelectionContext): ReadArguments {
  const known = new Map<FieldNode, Arguments>();
  return (definition, field) => {
    const args = known.get(field) ?? read(definition, field, variableValues);
    known.set(field, args);
    return args;
  };
}

function read(
  definition: GraphQLField<unknown, unknown>,
  field: FieldNode,
  variableValues: Record<string, unknown>,
): Arguments {
  try {
    return getArgumentValues(definition, field, variableValues);
  } catch {
    return {};
  }
}
