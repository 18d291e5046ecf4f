import qs from 'qs';
import { invalid } from './refusal.ts';

/** A value of a form: text, or values by name or index (`a[b]=…`, `a[]=…`). A list is from JSON. */
export type FormValue = string | readonly FormValue[] | ReadonlyMap<string, FormValue>;

/** A parsed form or query, by parameter name. */
export type Fields = ReadonlyMap<string, FormValue>;

/** Of one request; far above what people send. */
const MAX_PARAMETERS = 20_000;
/** The attachments list, 64 levels inside an attachment, and some room. */
const MAX_DEPTH = 100;
/** `name`, `name[a][b]` or `name[a][]`. */
const NAME = new RegExp(`^[^[\\]]+(\\[[^[\\]]+\\]){0,${MAX_DEPTH - 1}}(\\[\\])?$`);
/** Goes before every name, so that qs takes none for an array index or for a name of Object.prototype. */
const MARK = ':';

/**
 * Reads a form body or a query string (without `?`). Every name survives (`__proto__`, `1`, `a.b`,
 * emoji), in the order sent; what qs would drop, fold or guess at is refused with 400.
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
    return toNamed(parsed as object);
  } catch (error) {
    if (error instanceof RangeError) throw invalid('form', error.message);
    throw error;
  }
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // qs would keep the text as it came.
    throw invalid(text.slice(0, 80), 'the percent encoding is malformed');
  }
}

/** The keys of one form: marked, and numbered where they end in `[]`, for qs is slow with long arrays. */
function createKeys() {
  const keys = new Set<string>();
  const counts = new Map<string, number>();
  const twice = (key: string) => invalid(key.replaceAll(MARK, ''), 'is given twice');

  return {
    add(name: string): string {
      if (!NAME.test(name)) throw invalid(name.slice(0, 80), 'is no parameter name');
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      const numbered = name.replace(/\[\]$/, `[${count}]`);
      const key = MARK + numbered.replaceAll('[', `[${MARK}`);
      if (keys.has(key)) throw twice(key);
      keys.add(key);
      return key;
    },
    /** Refuses what is both text and a list: `a=1&a[b]=2`. */
    refuseMixed(): void {
      for (const key of keys) {
        for (
          let end = key.lastIndexOf('[');
          end > 0;
          end = key.lastIndexOf('[', end - 1)
        ) {
          if (keys.has(key.slice(0, end))) throw twice(key.slice(0, end));
        }
      }
    },
  };
}

const toNamed = (parsed: object): ReadonlyMap<string, FormValue> =>
  new Map(
    Object.entries(parsed).map(([name, value]) => [
      name.slice(MARK.length),
      typeof value === 'string' ? value : toNamed(value),
    ]),
  );

/** Reads a JSON body as the form that says the same: scalars are text, null is empty. */
export function parseJson(text: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalid('body', 'is no JSON');
  }
  const value = fromJson(parsed);
  if (!(value instanceof Map)) throw invalid('body', 'is no JSON object');
  return value;
}

function fromJson(json: unknown): FormValue {
  if (json === null) return '';
  if (Array.isArray(json)) return json.map(fromJson);
  if (typeof json !== 'object') return String(json);
  return new Map(Object.entries(json).map(([name, value]) => [name, fromJson(value)]));
}

/** The items of a list, in JSON or by the indices 0 to n-1; `null` for anything else. */
export function toList(value: FormValue): readonly FormValue[] | null {
  if (typeof value === 'string') return null;
  if (!(value instanceof Map)) return value as readonly FormValue[];
  const items = Array.from(value.keys(), (_key, index) => value.get(String(index)));
  return items.every((item) => item !== undefined) ? items : null;
}

/** The JSON that a form value stands for: lists, objects in the order sent, and text. */
export function toJson(value: FormValue): unknown {
  if (typeof value === 'string') return value;
  const list = toList(value);
  if (list !== null) return list.map(toJson);
  // Not an object literal: Object.fromEntries keeps a key called `__proto__`.
  return Object.fromEntries(
    Array.from(value as ReadonlyMap<string, FormValue>, ([name, inner]) => [
      name,
      toJson(inner),
    ]),
  );
}
