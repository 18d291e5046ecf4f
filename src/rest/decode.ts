import { checkDrift, type ReportDrift, type Shape } from './drift.ts';
import { type Call, OperationalError, RestDecodeError } from './errors.ts';
import { isRawNumber } from './exact-json.ts';
import type { ReadAnswer } from './send.ts';

/** An object as it came over the wire. */
export type WireObject = Readonly<Record<string, unknown>>;

/** An object whose decoder can read only the fields of its shape: a misspelled name does not compile. */
type FieldsOf<F extends string> = Readonly<Record<F, unknown>>;

/** Converts a wire object to a domain object; throws FieldError. */
export type Decode<T> = (wire: WireObject, report: ReportDrift) => T;

/** JSON nested thousands of levels deep can be parsed, but overflows the stack when it is written. */
const MAX_NESTING = 500;

/** A field that differs from the interface. The message has the field's name in the interface, and never its value. */
class FieldError extends OperationalError {
  readonly code = 'UPSTREAM_INVALID_RESPONSE';
  readonly field: string;
  readonly trouble: string;

  constructor(field: string, trouble: string) {
    super(`${field} ${trouble}`);
    this.field = field;
    this.trouble = trouble;
  }
}

/** Makes a decoder also report every field that differs from the interface, even if the object can be decoded. */
export const driftChecked =
  <T, F extends string>(
    shape: Shape<F>,
    decode: (wire: FieldsOf<F>, report: ReportDrift) => T,
  ): Decode<T> =>
  (wire, report) => {
    checkDrift(shape, wire, report);
    // A missing field reads as undefined, which every reader checks.
    return decode(wire as FieldsOf<F>, report);
  };

/** Reads an answer that is one object; throws RestDecodeError. */
export const object =
  <T>(decode: Decode<T>): ReadAnswer<T> =>
  (json, call, report) =>
    readObject(json, decode, report, (trouble) => {
      throw invalidData(call, trouble);
    });

/** Reads one object; or returns what `refuse` makes of the reason why it cannot be read. */
export function readObject<T, E>(
  json: unknown,
  decode: Decode<T>,
  report: ReportDrift,
  refuse: (trouble: string) => E,
): T | E {
  try {
    return decode(toWire(json, 'it'), report);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    return refuse(error.message);
  }
}

export const invalidData = (call: Call, trouble: string): RestDecodeError =>
  new RestDecodeError(call, `answered with invalid data: ${trouble}`);

export const isObject = (json: unknown): json is WireObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

function toWire(json: unknown, field: string): WireObject {
  if (!isObject(json)) throw new FieldError(field, 'is not an object');
  return json;
}

/** Reads a field of a wire object; throws FieldError. */
type ReadField<T> = <F extends string>(wire: FieldsOf<F>, field: NoInfer<F>) => T;

export const text: ReadField<string> = (wire, field) => {
  const value = wire[field];
  if (typeof value !== 'string') throw new FieldError(field, trouble(value, 'a string'));
  return value;
};

/** An id. It must be well-formed Unicode, because a URL cannot carry any other text. */
export const id: ReadField<string> = (wire, field) => {
  const value = text(wire, field);
  if (!value.isWellFormed()) throw new FieldError(field, 'is not well-formed Unicode');
  return value;
};

/** The gateway writes null in a form as the empty text, and a service may store that as it is. So "" reads as null. */
export const idOrNull: ReadField<string | null> = (wire, field) =>
  wire[field] == null || wire[field] === '' ? null : id(wire, field);

/** A text that may be null; a missing field reads as null. */
export const textOrNull: ReadField<string | null> = (wire, field) =>
  wire[field] == null ? null : text(wire, field);

/** An integer in the service's unit. Open point: timestamp unit. */
export const timestamp: ReadField<number> = (wire, field) => {
  const value = wire[field];
  if (!Number.isSafeInteger(value))
    throw new FieldError(field, trouble(value, 'an integer up to 2^53-1'));
  return value as number;
};

export const timestampOrNull: ReadField<number | null> = (wire, field) =>
  wire[field] == null ? null : timestamp(wire, field);

export const flag: ReadField<boolean> = (wire, field) => {
  const value = wire[field];
  if (typeof value !== 'boolean')
    throw new FieldError(field, trouble(value, 'true or false'));
  return value;
};

export const list: ReadField<readonly unknown[]> = (wire, field) => {
  const value = wire[field];
  if (!Array.isArray(value)) throw new FieldError(field, trouble(value, 'a list'));
  return value;
};

/** A list of JSON values, passed on as they are. None may be null, and JSON must be able to carry each of them. */
export const values: ReadField<readonly unknown[]> = (wire, field) => {
  const found = list(wire, field);
  for (let index = 0; index < found.length; index += 1) {
    const value = found[index];
    if (value === null) throw new FieldError(`${field}[${index}]`, 'is null');
    const trouble = whyNotWritable(value, MAX_NESTING);
    if (trouble !== null) throw new FieldError(`${field}[${index}]`, trouble);
  }
  return found;
};

/** Why a parsed value cannot be written as JSON; null if it can. */
function whyNotWritable(value: unknown, depth: number): string | null {
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
    const trouble = whyNotWritable((value as WireObject)[key], depth - 1);
    if (trouble !== null) return trouble;
  }
  return null;
}

/** A list of strings. `field` is its name in the interface, because its key may be a user's data. */
export function texts(value: unknown, field: string): readonly string[] {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) {
    throw new FieldError(field, trouble(value, 'a list of strings'));
  }
  return value;
}

/** A nested object; an error names the whole path, such as `contact.id`. */
export function nested<T, F extends string>(
  wire: FieldsOf<F>,
  field: NoInfer<F>,
  decode: Decode<T>,
  report: ReportDrift,
): T {
  const value = wire[field];
  if (value === undefined) throw new FieldError(field, trouble(value, 'an object'));
  try {
    return decode(toWire(value, field), report);
  } catch (error) {
    if (!(error instanceof FieldError) || error.field === field) throw error;
    throw new FieldError(`${field}.${error.field}`, error.trouble);
  }
}

export const objects: ReadField<readonly WireObject[]> = (wire, field) => {
  const found = list(wire, field);
  const other = found.findIndex((element) => !isObject(element));
  if (other !== -1) throw new FieldError(`${field}[${other}]`, 'is not an object');
  return found as readonly WireObject[];
};

const trouble = (value: unknown, promised: string) =>
  value === undefined ? 'is missing' : `is not ${promised}`;
