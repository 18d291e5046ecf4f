import type { ProbedList } from '../messaging/probed.ts';
import { isObject, type WireObject } from '../rest/decode.ts';
import type { Shape } from '../rest/drift.ts';
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
export interface Seen {
  readonly list: ProbedList;
  readonly items: readonly WireObject[];
}

/** Every object that was seen, those inside the items too, with the fields that the interface names for it. */
export const toShaped = (seen: readonly Seen[]) =>
  seen.flatMap(({ list, items }) => [
    { shape: list.shape, objects: items },
    ...Object.entries(list.inner).map(([field, shape]) => ({
      shape,
      objects: items.map((item) => item[field]).filter(isObject),
    })),
  ]);

/** Compares every object with the interface. `pages`: whole responses of list endpoints. */
export function compareFields(
  seen: readonly Seen[],
  pages: readonly WireObject[] = [],
): FieldsFinding {
  const all = [{ shape: PAGE, objects: pages }, ...toShaped(seen)];
  const found = all.map(({ shape, objects }) => compare(shape, objects));
  return {
    unknown: found.flatMap(({ unknown }) => unknown),
    missing: found.flatMap(({ missing }) => missing),
    otherType: found.flatMap(({ otherType }) => otherType),
  };
}

/** Each way in which the fields differ, in words, with their names. */
export const describeFields = ({
  unknown,
  missing,
  otherType,
}: FieldsFinding): (readonly [words: string, names: string])[] =>
  (
    [
      ['sent, but not in the interface', unknown],
      ['in the interface, but not sent', missing],
      ['sent with another type', otherType],
    ] as const
  )
    .filter(([, names]) => names.length > 0)
    .map(([words, names]) => [words, names.join(', ')]);

function compare(shape: Shape, objects: readonly WireObject[]): FieldsFinding {
  const name = shape.object.toLowerCase();
  const unknown = new Set<string>();
  const missing = new Set<string>();
  const otherType = new Set<string>();
  for (const object of objects) {
    for (const [field, value] of Object.entries(object)) {
      const type = typeOf(value);
      const line = `${name}.${toKeyName(field)}: ${type}`;
      if (!Object.hasOwn(shape.types, field)) unknown.add(line);
      else if (value !== null && type !== shape.types[field]) otherType.add(line);
    }
    for (const field of shape.fields) {
      if (!Object.hasOwn(object, field)) missing.add(`${name}.${field}`);
    }
  }
  return { unknown: [...unknown], missing: [...missing], otherType: [...otherType] };
}

/** The path to each value inside a JSON value, with its type: `size.width: number`, `tags[]: string`. */
export function keyPaths(
  value: unknown,
  { depth, intoArrays }: { readonly depth: number; readonly intoArrays: boolean },
  path = '',
): string[] {
  const inner = { depth: depth - 1, intoArrays };
  if (depth > 0 && intoArrays && Array.isArray(value)) {
    return value.flatMap((element) => keyPaths(element, inner, `${path}[]`));
  }
  if (depth > 0 && isObject(value)) {
    return Object.entries(value).flatMap(([key, child]) => {
      const name = toKeyName(key);
      return keyPaths(child, inner, path === '' ? name : `${path}.${name}`);
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
