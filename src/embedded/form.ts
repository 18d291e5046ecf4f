import qs from 'qs';
import { invalidField } from './errors.ts';

/** Text, or values by name or index (`a[b]=…`, `a[]=…`). JSON bodies also give arrays. */
export type FormValue = string | readonly FormValue[] | ReadonlyMap<string, FormValue>;

/** A parsed form or query, by parameter name. */
export type Fields = ReadonlyMap<string, FormValue>;

/** Maximum number of parameters in one request. */
const MAX_PARAMETERS = 20_000;
/** Levels of brackets: the attachments list, 64 levels in an attachment, and some room. */
const MAX_DEPTH = 100;
/** `name`, `name[a][b]` or `name[a][]`. */
const NAME = new RegExp(`^[^[\\]]+(\\[[^[\\]]+\\]){0,${MAX_DEPTH - 1}}(\\[\\])?$`);
/** Prefix of every key. Without it, qs reads `1` as an array index and drops names of Object.prototype. */
const MARK = ':';

/**
 * Reads a form body or a query string (without `?`). Keeps every name (`__proto__`, `1`, `a.b`,
 * emoji) and the order in which they were sent. Refuses with 400 what qs would drop, merge or guess.
 */
export function parseForm(text: string): Fields {
  const keys = createKeys();
  try {
    const parsed: unknown = qs.parse(text, {
      decoder: (part, _decode, _charset, kind) =>
        kind === 'key' ? keys.add(decodeText(part)) : decodeText(part),
      depth: MAX_DEPTH,
      parameterLimit: MAX_PARAMETERS,
      throwOnLimitExceeded: true,
    });
    keys.refuseMixed();
    return toFields(parsed as object);
  } catch (error) {
    if (error instanceof RangeError) throw invalidField('form', error.message);
    throw error;
  }
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // qs would keep the malformed text.
    throw invalidField(text.slice(0, 80), 'the percent encoding is malformed');
  }
}

/** The keys of one form. A key that ends in `[]` gets a number, because qs is slow with long arrays. */
function createKeys() {
  const keys = new Set<string>();
  const counts = new Map<string, number>();
  const refuseIfGiven = (key: string) => {
    if (keys.has(key)) throw invalidField(key.replaceAll(MARK, ''), 'is given twice');
  };

  return {
    add(name: string): string {
      if (!NAME.test(name)) {
        throw invalidField(name.slice(0, 80), 'is not a parameter name');
      }
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      const numbered = name.replace(/\[\]$/, `[${count}]`);
      const key = MARK + numbered.replaceAll('[', `[${MARK}`);
      refuseIfGiven(key);
      keys.add(key);
      return key;
    },
    /** Refuses a key that is both text and a list: `a=1&a[b]=2`. */
    refuseMixed(): void {
      for (const key of keys) {
        let end = key.lastIndexOf('[');
        while (end > 0) {
          refuseIfGiven(key.slice(0, end));
          end = key.lastIndexOf('[', end - 1);
        }
      }
    },
  };
}

const toFields = (parsed: object): Fields =>
  new Map(
    Object.entries(parsed).map(([key, value]) => [
      key.slice(MARK.length),
      typeof value === 'string' ? value : toFields(value),
    ]),
  );

/** Reads a JSON body like the equivalent form: scalars become text, `null` becomes empty text. */
export function parseJsonBody(text: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalidField('body', 'is not JSON');
  }
  const value = fromJson(parsed);
  if (!(value instanceof Map)) throw invalidField('body', 'is not a JSON object');
  return value;
}

function fromJson(json: unknown): FormValue {
  if (json === null) return '';
  if (Array.isArray(json)) return json.map(fromJson);
  if (typeof json !== 'object') return String(json);
  return new Map(Object.entries(json).map(([name, value]) => [name, fromJson(value)]));
}

/** The items of a JSON array, or of a form list with the indices 0 to n-1; otherwise `null`. */
export function toList(value: FormValue): readonly FormValue[] | null {
  if (typeof value === 'string') return null;
  if (!(value instanceof Map)) return value as readonly FormValue[];
  const items = Array.from(value.keys(), (_key, index) => value.get(String(index)));
  return items.every((item) => item !== undefined) ? items : null;
}

/** Converts a form value to JSON: text, lists, and objects with their keys in the order sent. */
export function toJson(value: FormValue): unknown {
  if (typeof value === 'string') return value;
  const list = toList(value);
  if (list !== null) return list.map(toJson);
  const entries = Array.from(
    value as ReadonlyMap<string, FormValue>,
    ([name, inner]) => [name, toJson(inner)] as const,
  );
  // Assignment to an object literal would lose a key called `__proto__`.
  return Object.fromEntries(entries);
}
