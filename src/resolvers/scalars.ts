import {
  type GraphQLScalarLiteralParser,
  type GraphQLScalarSerializer,
  type GraphQLScalarType,
  type GraphQLScalarValueParser,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import type { Resolvers } from '../generated/types.ts';

interface ScalarFunctions<T> {
  readonly serialize: GraphQLScalarSerializer<T>;
  readonly parseValue: GraphQLScalarValueParser<T>;
  readonly parseLiteral: GraphQLScalarLiteralParser<T>;
}

/** graphql-tools sets `__` names on the schema's own scalar; a whole new one would lose its description. */
const scalar = <T>({ serialize, parseValue, parseLiteral }: ScalarFunctions<T>) =>
  ({
    __serialize: serialize,
    __parseValue: parseValue,
    __parseLiteral: parseLiteral,
  }) as unknown as GraphQLScalarType;

function toTimestamp(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  // A TypeError, to which graphql adds the value and the place in the document.
  throw new TypeError('A Timestamp is an integer of at most 2^53-1.');
}

/** An integer that a number cannot hold stays text: so it travels in a form anyway. */
function toJson(literal: ValueNode, variables: Record<string, unknown>): unknown {
  switch (literal.kind) {
    case Kind.INT:
      return Number.isSafeInteger(Number(literal.value))
        ? Number(literal.value)
        : literal.value;
    case Kind.LIST:
      return literal.values.map((value) => toJson(value, variables));
    case Kind.OBJECT:
      return Object.fromEntries(
        literal.fields.map(({ name, value }) => [name.value, toJson(value, variables)]),
      );
    default:
      return valueFromASTUntyped(literal, variables);
  }
}

/** Timestamps pass in both directions as the service writes them; JSON passes unread. */
export const scalars: Resolvers = {
  Timestamp: scalar<number>({
    serialize: toTimestamp,
    parseValue: toTimestamp,
    parseLiteral: (literal) =>
      toTimestamp(literal.kind === 'IntValue' ? Number(literal.value) : null),
  }),
  JSON: scalar<unknown>({
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: (literal, variables) => toJson(literal, variables ?? {}),
  }),
};
