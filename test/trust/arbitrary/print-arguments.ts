import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { ChosenArguments, Style } from './selection.ts';

interface Variable {
  readonly name: string;
  readonly declaration: string;
  readonly given: readonly [unknown] | readonly [];
}

/** By type and value, so that equal ones are declared once. */
export type Variables = Map<string, Variable>;

/** Arguments as `name: value`, in which each value, and each value inside it, has a style of the sequence. */
export function printArguments(
  variables: Variables,
  { definitions, given, styles }: ChosenArguments,
): string[] {
  let count = 0;
  const next = (): Style => {
    count += 1;
    return styles[count % styles.length] ?? 'literal';
  };
  // Literals are likelier here: only an object written as a literal can hold values of other styles.
  const inside = () => [next(), next()].find((each) => each === 'literal') ?? next();

  function printFields(
    fields: readonly (GraphQLArgument | GraphQLInputField)[],
    values: object,
    choose: () => Style,
  ): string[] {
    const known = new Map(Object.entries(values));
    return fields.flatMap(({ name, type }) => {
      const value: unknown = known.get(name);
      if (value !== undefined) return [`${name}: ${print(type, value, choose)}`];
      return isLeftOut(type, choose) ? [`${name}: ${printAbsent(type)}`] : [];
    });
  }

  /** Whether an optional value is left out by a variable that the request does not give. */
  const isLeftOut = (type: GraphQLInputType, choose: () => Style): boolean =>
    !isNonNullType(type) && choose() === 'variable';
  const printAbsent = (type: GraphQLInputType) =>
    printValue(variables, String(type), undefined, 'variable');

  function print(type: GraphQLInputType, value: unknown, choose: () => Style): string {
    const style = typeof value === 'object' ? inside() : choose();
    if (isEnumType(getNullableType(type)) && style !== 'variable') return String(value);
    const parts = style === 'literal' ? printParts(getNullableType(type), value) : null;
    return parts ?? printValue(variables, String(type), value, style);
  }

  /** Null: the value has no parts, no literal can hold them, or it is a single item given for a list. */
  function printParts(type: GraphQLInputType, value: unknown): string | null {
    if (typeof value !== 'object' || value === null) return null;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      return `{${printFields(fields, value, inside).join(', ')}}`;
    }
    const isList = Array.isArray(value);
    const entries = Object.entries(value);
    if (isListType(type) ? !isList : !isList && !entries.every(([key]) => isName(key)))
      return null;
    // The parts of a JSON value are JSON too.
    const inner = isListType(type) ? type.ofType : type;
    const parts = entries.map(([key, part]) => [key, print(inner, part, inside)]);
    if (isLeftOut(inner, inside)) parts.push(['absent', printAbsent(inner)]);
    return isList
      ? `[${parts.map(([, text]) => text).join(', ')}]`
      : `{${parts.map(([key, text]) => `${key}: ${text}`).join(', ')}}`;
  }

  return printFields(definitions, given, next);
}

/** Writes a value as a literal, or as a variable, which it adds to `variables`. */
export function printValue(
  variables: Variables,
  type: string,
  value: unknown,
  style: Style,
): string {
  const literal = toLiteral(value);
  if (style === 'literal' && literal !== null) return literal;
  const hasDefault = style === 'default' && literal !== null && value !== null;
  const isGiven = !hasDefault && value !== undefined;
  // JSON has the same text for undefined and null. They do not clash, because no default of null is ever written.
  const key = JSON.stringify([type, value, isGiven]);
  const known = variables.get(key);
  if (known !== undefined) return `$${known.name}`;
  const name = `v${variables.size}`;
  const declaration = hasDefault ? `$${name}: ${type} = ${literal}` : `$${name}: ${type}`;
  variables.set(key, { name, declaration, given: isGiven ? [value] : [] });
  return `$${name}`;
}

/** The value as a literal; null if GraphQL has none: for a lone surrogate, or a key that is not a name. */
function toLiteral(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === 'string' && !value.isWellFormed()) return null;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, inner]) => {
    const text = toLiteral(inner);
    if (text === null || Array.isArray(value)) return text;
    return isName(name) ? `${name}: ${text}` : null;
  });
  if (parts.includes(null)) return null;
  return Array.isArray(value) ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}

/** Whether a key is allowed in a literal. */
const isName = (key: string): boolean => /^[_A-Za-z]\w*$/.test(key);
