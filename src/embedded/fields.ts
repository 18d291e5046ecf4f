import type { Fields, FormValue } from './form.ts';
import { invalid } from './refusal.ts';

/** Reads one parameter, `undefined` where it was not sent; throws a 400 that names it. */
type Reader<T> = (value: FormValue | undefined, name: string) => T;

type Read<Readers> = {
  [Name in keyof Readers]: Readers[Name] extends Reader<infer T> ? T : never;
};

/** Reads every parameter by its reader; a parameter without one is refused with 400. */
export function readFields<Readers extends Record<string, Reader<unknown>>>(
  fields: Fields,
  readers: Readers,
): Read<Readers> {
  for (const name of fields.keys()) {
    if (!Object.hasOwn(readers, name)) throw invalid(name, 'is not a known parameter');
  }
  const read = Object.entries(readers).map(([name, reader]) => [
    name,
    reader(fields.get(name), name),
  ]);
  return Object.fromEntries(read) as Read<Readers>;
}

/** Makes a parameter one that may be left out. */
export const optional =
  <T>(reader: Reader<T>): Reader<T | undefined> =>
  (value, name) =>
    value === undefined ? undefined : reader(value, name);

/** Makes a parameter one that an empty value (`name=`) sets to null. */
export const clearable =
  <T>(reader: Reader<T>): Reader<T | null> =>
  (value, name) =>
    value === '' ? null : reader(value, name);

/** Text that is not empty. */
export const text: Reader<string> = (value, name) => {
  if (value === undefined) throw invalid(name, 'is required');
  if (typeof value !== 'string') throw invalid(name, 'takes one text');
  if (value === '') throw invalid(name, 'is empty');
  return value;
};

/** `true` or `false`. */
export const flag: Reader<boolean> = (value, name) => {
  if (value !== 'true' && value !== 'false') throw invalid(name, 'takes true or false');
  return value === 'true';
};

/** A whole number from `least`, up to 2^53-1. */
export const integer =
  (least: number): Reader<number> =>
  (value, name) => {
    const number =
      typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (!Number.isSafeInteger(number) || number < least) {
      throw invalid(name, `takes a whole number from ${least}`);
    }
    return number;
  };

/** Whatever was sent, lists and names included. */
export const structure: Reader<FormValue> = (value, name) => {
  if (value === undefined) throw invalid(name, 'is required');
  return value;
};
