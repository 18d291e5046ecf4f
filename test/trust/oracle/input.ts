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

/** The values of the variables. One that has neither a value nor a default is not in the map. */
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

/** The arguments of a field as resolvers receive them. */
export function readArguments(
  definitions: readonly GraphQLArgument[],
  field: FieldNode,
  variables: Variables,
): Arguments {
  const values: Record<string, unknown> = {};
  for (const { name, value } of field.arguments ?? []) {
    const type = definitions.find((each) => each.name === name.value)?.type;
    if (type === undefined || isAbsent(value, variables)) continue;
    values[name.value] = coerce(type, toValue(value, variables));
  }
  return values;
}

/** A variable without a value leaves its argument out. In a list it is null. */
const isAbsent = (node: ValueNode, variables: Variables): boolean =>
  node.kind === Kind.VARIABLE && !variables.has(node.name.value);

/** Reads a single value as a list of one where a list is expected, and a number as an id. */
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

/** A literal or variable as JSON. */
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
      // Object.fromEntries keeps a key called `__proto__`.
      return Object.fromEntries(
        node.fields
          .filter(({ value }) => !isAbsent(value, variables))
          .map(({ name, value }) => [name.value, toValue(value, variables)]),
      );
    default:
      throw new Error(`the oracle cannot read ${node.kind}`);
  }
}
