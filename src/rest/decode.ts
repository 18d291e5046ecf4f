import { type ReportDrift, type Shape, watchDrift } from './drift.ts';
import { RestDecodeError } from './errors.ts';
import type { Read } from './send.ts';

/** An object as it came over the wire. */
export type Wire = Readonly<Record<string, unknown>>;

/** Turns a wire object into a domain object, or throws a FieldError. */
export type Decode<T> = (wire: Wire, report: ReportDrift) => T;

/** JSON nested some thousand levels deep is read, but overflows the stack when it is written. */
const MAX_NESTING = 500;

/** Which field breaks the interface's promise. Names the field, never its value. */
class FieldError extends Error {
  readonly field: string;
  readonly trouble: string;

  constructor(field: string, trouble: string) {
    super(`${field} ${trouble}`);
    this.field = field;
    this.trouble = trouble;
  }
}

/** A decoder that also reports where the object is not what the interface says, whether or not that matters. */
export const watched =
  <T>(shape: Shape, decode: Decode<T>): Decode<T> =>
  (wire, report) => {
    watchDrift(shape, wire, report);
    return decode(wire, report);
  };

/** Reads the one object that a call answered. */
export const object =
  <T>(decode: Decode<T>): Read<T> =>
  (json, call, report) => {
    try {
      return decode(toWire(json, 'it'), report);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      throw new RestDecodeError(call, `answered an object where ${error.message}`);
    }
  };

function toWire(json: unknown, field: string): Wire {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new FieldError(field, 'is no object');
  }
  return json as Wire;
}

export function text(wire: Wire, field: string): string {
  const value = wire[field];
  if (typeof value !== 'string') throw new FieldError(field, trouble(value, 'a string'));
  return value;
}

/** An id; one that no URL could carry is none. */
export function id(wire: Wire, field: string): string {
  const value = text(wire, field);
  if (!value.isWellFormed()) throw new FieldError(field, 'is not well-formed Unicode');
  return value;
}

export function idOrNull(wire: Wire, field: string): string | null {
  return wire[field] == null ? null : id(wire, field);
}

/** A field that may be null; a missing one reads as null. */
export function textOrNull(wire: Wire, field: string): string | null {
  return wire[field] == null ? null : text(wire, field);
}

/** Unit and epoch are the service's. Open point: timestamp unit and epoch. */
export function timestamp(wire: Wire, field: string): number {
  const value = wire[field];
  if (!Number.isSafeInteger(value))
    throw new FieldError(field, trouble(value, 'an integer up to 2^53-1'));
  return value as number;
}

export function timestampOrNull(wire: Wire, field: string): number | null {
  return wire[field] == null ? null : timestamp(wire, field);
}

export function flag(wire: Wire, field: string): boolean {
  const value = wire[field];
  if (typeof value !== 'boolean')
    throw new FieldError(field, trouble(value, 'true or false'));
  return value;
}

export function list(wire: Wire, field: string): readonly unknown[] {
  const value = wire[field];
  if (!Array.isArray(value)) throw new FieldError(field, trouble(value, 'a list'));
  return value;
}

/** A list of JSON values, passed on unread; none of them null, nor nested so deep that it could not be written again. */
export function values(wire: Wire, field: string): readonly unknown[] {
  const found = list(wire, field);
  for (const [index, value] of found.entries()) {
    if (value === null) throw new FieldError(`${field}[${index}]`, 'is null');
    if (isDeeper(value, MAX_NESTING)) {
      throw new FieldError(`${field}[${index}]`, `is nested deeper than ${MAX_NESTING}`);
    }
  }
  return found;
}

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1)));

/** A list of nothing but strings. */
export function texts(wire: Wire, field: string): readonly string[] {
  const found = list(wire, field);
  if (!found.every((value) => typeof value === 'string')) {
    throw new FieldError(field, trouble(found, 'a list of strings'));
  }
  return found;
}

/** An object inside the object; troubles name the way to them, `contact.id`. */
export function nested<T>(wire: Wire, field: string, decode: (wire: Wire) => T): T {
  const value = wire[field];
  if (value === undefined) throw new FieldError(field, trouble(value, 'an object'));
  try {
    return decode(toWire(value, field));
  } catch (error) {
    if (!(error instanceof FieldError) || error.field === field) throw error;
    throw new FieldError(`${field}.${error.field}`, error.trouble);
  }
}

/** Every element of a list inside the object, which all must be objects. */
export const objects = (wire: Wire, field: string): readonly Wire[] =>
  list(wire, field).map((element, index) => toWire(element, `${field}[${index}]`));

const trouble = (value: unknown, promised: string) =>
  value === undefined ? 'is missing' : `is not ${promised}`;
