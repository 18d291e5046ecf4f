import { OperationalError } from './errors.ts';
import { isRawNumber } from './exact-json.ts';

/** JSON nested thousands of levels deep can be parsed, but overflows the stack when it is written. */
const MAX_NESTING = 500;

/** A field that differs from the interface. The message has the field's name in the interface, and never its value. */
export class FieldError extends OperationalError {
  readonly code = 'UPSTREAM_INVALID_RESPONSE';
  readonly field: string;
  readonly trouble: string;

  constructor(field: string, trouble: string) {
    super(`${field} ${trouble}`);
    this.field = field;
    this.trouble = trouble;
  }
}

/** What is wrong with a value. `promised`: what the interface says it is. */
export const trouble = (value: unknown, promised: string) =>
  value === undefined ? 'is missing' : `is not ${promised}, but ${toKind(value)}`;

/** What a JSON value is, without the value. Infinity, as which 1e400 is parsed, is no fraction. */
function toKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  const kinds = {
    string: 'a string',
    number: Number(value) % 1 ? 'a fraction' : 'a number',
    boolean: 'true or false',
  };
  return kinds[typeof value as keyof typeof kinds] ?? 'an object';
}

/** Why a parsed value cannot be written as JSON; null if it can. */
export function whyNotWritable(value: unknown, depth = MAX_NESTING): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    // 1e400 is parsed as Infinity, which would be written as null.
    return 'holds a number that is too large';
  }
  if (typeof value !== 'object' || value === null) return null;
  if (isRawNumber(value)) {
    // An integer of any size is passed on. An exponent as large as this is a mistake.
    const isTooLarge =
      /e/i.test(value.rawJSON) && !Number.isFinite(Number(value.rawJSON));
    return isTooLarge ? 'holds a number that is too large' : null;
  }
  if (depth === 0) return `is nested deeper than ${MAX_NESTING}`;
  if (Array.isArray(value)) {
    for (const inner of value) {
      const trouble = whyNotWritable(inner, depth - 1);
      if (trouble !== null) return trouble;
    }
    return null;
  }
  // A list of the values would take twice as long for an object of a hundred thousand keys.
  for (const key in value) {
    const trouble = whyNotWritable((value as Record<string, unknown>)[key], depth - 1);
    if (trouble !== null) return trouble;
  }
  return null;
}
