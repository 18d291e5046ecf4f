import type { ProbedList } from '../messaging/probed.ts';
import { isObject, type WireObject } from '../rest/decode.ts';
import { PAGE } from '../rest/list.ts';

/** How the service's objects differ from the interface; each line reads `message.thread_id: string`. */
export interface FieldsFinding {
  /** Sent, but not in the interface. */
  readonly unknown: readonly string[];
  /** In the interface, but not sent; these lines have no type. */
  readonly missing: readonly string[];
  readonly otherType: readonly string[];
}

/** The items that a list returned, each once. */
export interface SeenItems {
  readonly list: ProbedList;
  readonly items: readonly WireObject[];
}

/** Every object that was seen, those inside the items too, with the fields that the interface names for it. */
export const toShaped = (seen: readonly SeenItems[]) =>
  seen.flatMap(({ list, items }) => [
    { shape: list.shape, objects: items },
    ...Object.entries(list.shape.inner).map(([field, shape]) => ({
      shape,
      objects: items.map((item) => item[field]).filter(isObject),
    })),
  ]);

/** Compares every object with the interface. `pages`: whole responses of list endpoints. */
export function compareFields(
  seen: readonly SeenItems[],
  pages: readonly WireObject[] = [],
): FieldsFinding {
  const unknown = new Set<string>();
  const missing = new Set<string>();
  const otherType = new Set<string>();
  for (const { shape, objects } of [{ shape: PAGE, objects: pages }, ...toShaped(seen)]) {
    const name = shape.object.toLowerCase();
    const types: Readonly<Record<string, string>> = shape.types;
    for (const object of objects) {
      for (const [field, value] of Object.entries(object)) {
        const type = typeOf(value);
        const line = `${name}.${toKeyName(field)}: ${type}`;
        if (!Object.hasOwn(types, field)) unknown.add(line);
        else if (value !== null && type !== types[field]) otherType.add(line);
      }
      for (const field of shape.fields) {
        if (!Object.hasOwn(object, field)) missing.add(`${name}.${field}`);
      }
    }
  }
  return { unknown: [...unknown], missing: [...missing], otherType: [...otherType] };
}

/** Each way in which the fields differ, in words, with their names. */
export const describeFields = (fields: FieldsFinding): [words: string, names: string][] =>
  FIELD_WORDS.filter(([, key]) => fields[key].length > 0).map(([words, key]) => [
    words,
    fields[key].join(', '),
  ]);

const FIELD_WORDS = [
  ['sent, but not in the interface', 'unknown'],
  ['in the interface, but not sent', 'missing'],
  ['sent with another type', 'otherType'],
] as const;

/** The path to each value inside a JSON value, with its type: `size.width: number`, `tags[]: string`. */
export function keyPaths(
  value: unknown,
  depth: number,
  { intoArrays = false, path = '' } = {},
): string[] {
  if (depth > 0 && intoArrays && Array.isArray(value)) {
    const options = { intoArrays, path: `${path}[]` };
    return value.flatMap((element) => keyPaths(element, depth - 1, options));
  }
  if (depth > 0 && isObject(value)) {
    return Object.entries(value).flatMap(([key, child]) => {
      const name = path === '' ? toKeyName(key) : `${path}.${toKeyName(key)}`;
      return keyPaths(child, depth - 1, { intoArrays, path: name });
    });
  }
  return [`${path === '' ? '(itself)' : path}: ${typeOf(value)}`];
}

/** The JSON type of a value. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Makes a key safe to print: a key that is not a plain name may be a person's data. */
export const toKeyName = (key: string): string =>
  /^[A-Za-z_][\w-]{0,39}$/.test(key) ? key : '(a key)';
