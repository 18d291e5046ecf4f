import { invalidField } from './errors.ts';
import type { Fields, FormValue } from './form.ts';

/** Reads one parameter, which is `undefined` if it was not sent; throws a 400 that names it. */
type FieldReader<T> = (value: FormValue | undefined, name: string) => T;

type Read<Readers> = {
  [Name in keyof Readers]: Readers[Name] extends FieldReader<infer T> ? T : never;
};

/** Reads every parameter with its reader; refuses parameters that have none with 400. */
export function readFields<Readers extends Record<string, FieldReader<unknown>>>(
  fields: Fields,
  readers: Readers,
): Read<Readers> {
  for (const name of fields.keys()) {
    if (!Object.hasOwn(readers, name)) {
      throw invalidField(name, 'is not a known parameter');
    }
  }
  const read = Object.entries(readers).map(([name, reader]) => [
    name,
    reader(fields.get(name), name),
  ]);
  return Object.fromEntries(read) as Read<Readers>;
}

/** Accepts a missing parameter, as `undefined`. */
export const optional =
  <T>(reader: FieldReader<T>): FieldReader<T | undefined> =>
  (value, name) =>
    value === undefined ? undefined : reader(value, name);

/** Accepts an empty value (`name=`), as `null`. */
export const clearable =
  <T>(reader: FieldReader<T>): FieldReader<T | null> =>
  (value, name) =>
    value === '' ? null : reader(value, name);

/** Text that is not empty. */
export const text: FieldReader<string> = (value, name) => {
  if (value === undefined) throw invalidField(name, 'is required');
  if (typeof value !== 'string') throw invalidField(name, 'takes one text');
  if (value === '') throw invalidField(name, 'is empty');
  return value;
};

/** `true` or `false`. */
export const flag: FieldReader<boolean> = (value, name) => {
  if (value === 'true' || value === 'false') return value === 'true';
  throw invalidField(name, 'takes true or false');
};

/** A whole number from `min` to 2^53-1. */
export const integer =
  (min: number): FieldReader<number> =>
  (value, name) => {
    const isInteger = typeof value === 'string' && /^\d{1,16}$/.test(value);
    const number = isInteger ? Number(value) : Number.NaN;
    if (Number.isSafeInteger(number) && number >= min) return number;
    throw invalidField(name, `takes a whole number from ${min}`);
  };

/** Any value, lists and objects included. */
export const structure: FieldReader<FormValue> = (value, name) => {
  if (value === undefined) throw invalidField(name, 'is required');
  return value;
};
