import type { Argument } from './selection.ts';

export interface Variable {
  readonly name: string;
  readonly declaration: string;
  readonly given: readonly [unknown] | readonly [];
}

/** Writes a value as a literal, part by part, or as a variable, which it adds to `variables`. */
export function printArgument(
  variables: Map<string, Variable>,
  { type, value, style, parts }: Argument,
): string {
  if (style === 'literal' && parts !== null) return printParts(variables, value, parts);
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

function printParts(
  variables: Map<string, Variable>,
  value: unknown,
  parts: readonly Argument[],
): string {
  const printed = parts.map((part) => [part.name, printArgument(variables, part)]);
  return Array.isArray(value)
    ? `[${printed.map(([, text]) => text).join(', ')}]`
    : `{${printed.map(([name, text]) => `${name}: ${text}`).join(', ')}}`;
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
export const isName = (key: string): boolean => /^[_A-Za-z]\w*$/.test(key);
