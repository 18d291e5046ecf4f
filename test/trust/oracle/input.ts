import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import type { Arguments } from './values.ts';

export type Variables = ReadonlyMap<string, unknown>;

/** Given ones, and defaults; one that is neither is not in the map. */
export function readVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Variables {
  const values = new Map<string, unknown>();
  for (const { variable, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    if (name in given) values.set(name, given[name]);
    else if (defaultValue !== undefined) values.set(name, toValue(defaultValue, values));
  }
  return values;
}

/** The arguments of a field as resolvers get them. */
export function readArguments(
  definitions: readonly GraphQLArgument[],
  field: FieldNode,
  variables: Variables,
): Arguments {
  const values: Record<string, unknown> = {};
  for (const { name, value } of field.arguments ?? []) {
    const type = definitions.find((each) => each.name === name.value)?.type;
    if (type === undefined || isLeftOut(value, variables)) continue;
    values[name.value] = coerce(type, toValue(value, variables));
  }
  return values;
}

/** A variable without a value is as good as nothing written; in a list it is null. */
const isLeftOut = (node: ValueNode, variables: Variables): boolean =>
  node.kind === Kind.VARIABLE && !variables.has(node.name.value);

/** A single value where a list is due is a list of one; a number may stand for an id. */
function coerce(type: GraphQLInputType, value: unknown): unknown {
  const wanted = getNullableType(type);
  if (value === null) return null;
  if (isListType(wanted)) {
    const items = Array.isArray(value) ? value : [value];
    return items.map((item) => coerce(wanted.ofType, item));
  }
  if (!isInputObjectType(wanted)) return wanted.name === 'ID' ? String(value) : value;
  const fields = wanted.getFields();
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [
      name,
      fields[name] === undefined ? inner : coerce(fields[name].type, inner),
    ]),
  );
}

/** The JSON a value stands for. */
export function toValue(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables.get(node.name.value);
    case Kind.NULL:
      return null;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.LIST:
      return node.values.map((value) => toValue(value, variables) ?? null);
    case Kind.OBJECT:
      // Object.fromEntries, so that a key called `__proto__` is one like any other.
      return Object.fromEntries(
        node.fields
          .filter(({ value }) => !isLeftOut(value, variables))
          .map(({ name, value }) => [name.value, toValue(value, variables)]),
      );
    default:
      throw new Error(`the oracle reads no ${node.kind}`);
  }
}
