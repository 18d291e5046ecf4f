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
/** Stands at the end of the name of a list's next item. */
const NEXT = '[]';
const KEYS = /[^[\]]+|\[\]/g;

/**
 * Reads a form body or a query string (without `?`). Keeps every name (`__proto__`, `1`, `a.b`,
 * emoji) and the order in which they were sent. Refuses with 400 what can be read in two ways.
 */
export function parseForm(text: string): Fields {
  const fields = new Map<string, FormValue>();
  const parameters = text.split('&').filter((parameter) => parameter !== '');
  if (parameters.length > MAX_PARAMETERS) {
    throw invalidField('form', `takes ${MAX_PARAMETERS} parameters at most`);
  }
  for (const parameter of parameters) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(parameter) ?? [];
    put(fields, decodeText(name), decodeText(value));
  }
  return fields;
}

function put(fields: Map<string, FormValue>, name: string, value: string): void {
  if (!NAME.test(name)) {
    throw invalidField(name.slice(0, 80), 'is not a parameter name');
  }
  const outer = name.match(KEYS) ?? [];
  const last = outer.pop() ?? '';
  let target = fields;
  for (const key of outer) {
    const inner = target.get(key) ?? new Map<string, FormValue>();
    if (!(inner instanceof Map)) throw invalidField(name, 'is given twice');
    target.set(key, inner);
    target = inner;
  }
  const key = last === NEXT ? String(target.size) : last;
  if (target.has(key)) throw invalidField(name, 'is given twice');
  target.set(key, value);
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidField(text.slice(0, 80), 'the percent encoding is malformed');
  }
}

/** Reads a JSON body like the equivalent form: scalars become text, `null` becomes empty text. */
export function parseJson(text: string): Fields {
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
