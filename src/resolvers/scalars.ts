import {
  type GraphQLScalarLiteralParser,
  type GraphQLScalarSerializer,
  type GraphQLScalarType,
  type GraphQLScalarValueParser,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { isKeptByDouble } from '../rest/exact-json.ts';
import { type Instant, parseDateTime } from '../rest/timestamp.ts';

interface ScalarFunctions<Input, Output> {
  readonly serialize: GraphQLScalarSerializer<Output>;
  readonly parseValue: GraphQLScalarValueParser<Input>;
  readonly parseLiteral: GraphQLScalarLiteralParser<Input>;
}

/** graphql-tools copies `__` names to the schema's own scalar; a new scalar would lose the description. */
const scalar = <Input, Output = Input>({
  serialize,
  parseValue,
  parseLiteral,
}: ScalarFunctions<Input, Output>) =>
  ({
    __serialize: serialize,
    __parseValue: parseValue,
    __parseLiteral: parseLiteral,
  }) as unknown as GraphQLScalarType;

function checkTimestamp(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  // graphql adds the value and the location to a TypeError.
  throw new TypeError('A Timestamp is an integer of at most 2^53-1.');
}

function toInstant(value: unknown): Instant {
  const instant = typeof value === 'string' ? parseDateTime(value) : null;
  if (instant !== null) return instant;
  throw new TypeError(
    'A DateTime is a date and a time with its zone, such as 2026-03-01T09:30:00Z or 2026-03-01T10:30:00+01:00.',
  );
}

type Variables = Readonly<Record<string, unknown>>;

/**
 * The value of a literal. A number that would lose digits stays text, and a form writes it as text anyway. A missing
 * variable removes its field from an object, and is null in a list, as in inputs of other types.
 */
function toJson(literal: ValueNode, variables: Variables): unknown {
  switch (literal.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return isKeptByDouble(literal.value) ? Number(literal.value) : literal.value;
    case Kind.LIST:
      return literal.values.map((value) => toJson(value, variables) ?? null);
    case Kind.OBJECT:
      return Object.fromEntries(
        literal.fields
          .map(({ name, value }) => [name.value, toJson(value, variables)])
          .filter(([, value]) => value !== undefined),
      );
    default:
      return valueFromASTUntyped(literal, variables);
  }
}

/** Timestamps and JSON pass unchanged in both directions; a timestamp must be an integer. A date-time is read once, here. */
export const scalars = {
  Timestamp: scalar<number>({
    serialize: checkTimestamp,
    parseValue: checkTimestamp,
    parseLiteral: (literal) =>
      checkTimestamp(literal.kind === 'IntValue' ? Number(literal.value) : null),
  }),
  DateTime: scalar<Instant, string>({
    serialize: (value) => value as string,
    parseValue: toInstant,
    parseLiteral: (literal) =>
      toInstant(literal.kind === Kind.STRING ? literal.value : null),
  }),
  JSON: scalar<unknown>({
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: (literal, variables) => toJson(literal, variables ?? {}),
  }),
};
