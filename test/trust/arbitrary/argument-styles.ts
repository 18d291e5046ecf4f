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
import type { Argument, Style } from './selection.ts';

const STYLES: readonly Style[] = ['literal', 'variable', 'default'];
const LENGTH = 13;

export const style = fc.constantFrom(...STYLES);

/** A style for each value in turn, then again from the first. Made of one number, which shrinks to all literals at once. */
export const styleSequence: fc.Arbitrary<readonly Style[]> = fc
  .noBias(fc.nat({ max: STYLES.length ** LENGTH - 1 }))
  .map((number) =>
    Array.from(
      { length: LENGTH },
      (_, place) =>
        STYLES[Math.floor(number / STYLES.length ** place) % STYLES.length] ?? 'literal',
    ),
  );

/** Gives each argument, and each value inside it, a style from the sequence. */
export function toArguments(
  definitions: readonly GraphQLArgument[],
  given: object,
  sequence: readonly Style[],
): readonly Argument[] {
  let count = 0;
  const next = (): Style => {
    count += 1;
    return sequence[count % sequence.length] ?? 'literal';
  };
  // Literals are likelier here: only an object written as a literal can hold values of other styles.
  const inside = () => [next(), next()].find((each) => each === 'literal') ?? next();
  return toFields(definitions, given, { next, inside });
}

interface Styles {
  readonly next: () => Style;
  /** The style of an object or a list, and of the values inside it. */
  readonly inside: () => Style;
}

function toFields(
  definitions: readonly (GraphQLArgument | GraphQLInputField)[],
  given: object,
  styles: Styles,
): readonly Argument[] {
  const values = new Map(Object.entries(given));
  return definitions.flatMap(({ name, type }): Argument[] => {
    const value: unknown = values.get(name);
    if (value !== undefined) return [toArgument(name, type, value, styles)];
    return isOptional(type) && styles.next() === 'variable' ? [absent(name, type)] : [];
  });
}

const isOptional = (type: GraphQLInputType): boolean => !isNonNullType(type);

/** A value left out by a variable that the request does not give. */
const absent = (name: string, type: GraphQLInputType): Argument => ({
  name,
  type: String(type),
  value: undefined,
  style: 'variable',
  parts: null,
});

const toArgument = (
  name: string,
  type: GraphQLInputType,
  value: unknown,
  { next, inside }: Styles,
): Argument => ({
  name,
  type: String(type),
  value,
  style: typeof value === 'object' ? inside() : next(),
  parts: toParts(getNullableType(type), value, { next: inside, inside }),
});

/** Null: the value has no parts, no literal can hold them, or it is a single item given for a list. */
function toParts(
  type: GraphQLInputType,
  value: unknown,
  styles: Styles,
): readonly Argument[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (isInputObjectType(type)) {
    return toFields(Object.values(type.getFields()), value, styles);
  }
  const isPlural = isListType(type);
  if (isPlural && !Array.isArray(value)) return null;
  // The parts of a JSON value are JSON too.
  const inner = isPlural ? type.ofType : type;
  const entries = Object.entries(value);
  if (!Array.isArray(value) && !entries.every(([key]) => isName(key))) return null;
  const parts = entries.map(([key, part]) => toArgument(key, inner, part, styles));
  const addsAbsent = isOptional(inner) && styles.inside() === 'variable';
  return addsAbsent ? [...parts, absent('absent', inner)] : parts;
}
