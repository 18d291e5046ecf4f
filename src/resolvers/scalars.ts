import {
  GraphQLError,
  type GraphQLScalarLiteralParser,
  type GraphQLScalarSerializer,
  type GraphQLScalarType,
  type GraphQLScalarValueParser,
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
  throw new GraphQLError('A Timestamp is an integer of at most 2^53-1.');
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
    parseLiteral: valueFromASTUntyped,
  }),
};
