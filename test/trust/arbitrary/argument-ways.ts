import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { isName } from './print-argument.ts';
import type { Argument, How } from './selection.ts';

const HOWS: readonly How[] = ['literal', 'variable', 'default'];
const LENGTH = 13;

export const how = fc.constantFrom(...HOWS);
/** One for each value in turn, and again from the first. Made of one number, which shrinks to literals at one stroke. */
export const hows: fc.Arbitrary<readonly How[]> = fc
  .noBias(fc.nat({ max: HOWS.length ** LENGTH - 1 }))
  .map((number) =>
    Array.from(
      { length: LENGTH },
      (_, place) =>
        HOWS[Math.floor(number / HOWS.length ** place) % HOWS.length] ?? 'literal',
    ),
  );

/** The values of some arguments, each written in one of the ways, and so is what lies inside them. */
export function toArguments(
  definitions: readonly GraphQLArgument[],
  given: object,
  ways: readonly How[],
): readonly Argument[] {
  let count = 0;
  const any = (): How => {
    count += 1;
    return ways[count % ways.length] ?? 'literal';
  };
  // What has an inside is mostly a literal, and so is what lies there: else the innermost would hardly ever be one.
  const inside = () => [any(), any()].find((way) => way === 'literal') ?? any();
  return toFields(definitions, given, { next: any, inside });
}

/** How the next value is written, and how what has an inside, or is inside. */
interface Ways {
  readonly next: () => How;
  readonly inside: () => How;
}

function toFields(
  definitions: readonly (GraphQLArgument | GraphQLInputField)[],
  given: object,
  ways: Ways,
): readonly Argument[] {
  const values = new Map(Object.entries(given));
  return definitions.flatMap(({ name, type }): Argument[] => {
    const value: unknown = values.get(name);
    if (value !== undefined) return [toArgument(name, type, value, ways)];
    return canBeAbsent(type) && ways.next() === 'variable' ? [absent(name, type)] : [];
  });
}

const canBeAbsent = (type: GraphQLInputType): boolean => !isNonNullType(type);

/** What is left out may be so by a variable that is not given. */
const absent = (name: string, type: GraphQLInputType): Argument => ({
  name,
  type: String(type),
  value: undefined,
  how: 'variable',
  parts: null,
});

const toArgument = (
  name: string,
  type: GraphQLInputType,
  value: unknown,
  { next, inside }: Ways,
): Argument => ({
  name,
  type: String(type),
  value,
  how: typeof value === 'object' ? inside() : next(),
  parts: toParts(getNullableType(type), value, { next: inside, inside }),
});

/** Null: there is nothing inside, or no literal could hold it. A value that stands for a list of one is written as one. */
function toParts(
  type: GraphQLInputType,
  value: unknown,
  ways: Ways,
): readonly Argument[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (isInputObjectType(type)) {
    return toFields(Object.values(type.getFields()), value, ways);
  }
  const isPlural = isListType(type);
  if (Array.isArray(value) !== isPlural && isPlural) return null;
  // What is in a list or an object of JSON is JSON.
  const inner = isPlural ? type.ofType : type;
  const entries = Object.entries(value);
  if (!Array.isArray(value) && !entries.every(([key]) => isName(key))) return null;
  const parts = entries.map(([key, part]) => toArgument(key, inner, part, ways));
  const isMore = canBeAbsent(inner) && ways.inside() === 'variable';
  return isMore ? [...parts, absent('absent', inner)] : parts;
}
