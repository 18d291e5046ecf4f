import { BadInputError } from './errors.ts';

/** The version of the interface; written only here. Open point: version policy. Source: Versioning. */
export const API_VERSION = '/v1';
const MAX_ID_BYTES = 1024;
const TOO_LONG = `cannot be longer than ${MAX_ID_BYTES} bytes`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an id that contains one is refused
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/** The path of a call, and its route for errors and logs, with `:id` for every id. */
export interface Path {
  readonly text: string;
  readonly route: string;
}

/** Builds a path below `/v1`; each id becomes exactly one percent-encoded segment. */
export function path(parts: TemplateStringsArray, ...ids: string[]): Path {
  let text = API_VERSION + parts[0];
  for (let index = 0; index < ids.length; index += 1) {
    text += encodeURIComponent(checkId(ids[index] as string)) + parts[index + 1];
  }
  return { text, route: routeOf(parts) };
}

/** The route of each template; a place in the code always passes the same template object. */
const routes = new WeakMap<TemplateStringsArray, string>();

function routeOf(parts: TemplateStringsArray): string {
  let route = routes.get(parts);
  if (route === undefined) {
    route = API_VERSION + parts.join(':id');
    routes.set(parts, route);
  }
  return route;
}

/** Returns the id unchanged; throws BadInputError if it cannot be one path segment. */
export function checkId(id: string): string {
  const trouble = idTrouble(id);
  if (trouble !== null) throw new BadInputError(`An id ${trouble}.`);
  return id;
}

function idTrouble(id: string): string | null {
  if (id === '') return 'cannot be empty';
  if (id === '.' || id === '..') return 'cannot be "." or ".."';
  // Before the checks that read the whole id. It has at least as many bytes as characters.
  if (id.length > MAX_ID_BYTES) return TOO_LONG;
  if (CONTROL_CHARACTERS.test(id)) return 'cannot hold control characters';
  if (!id.isWellFormed()) return 'must be well-formed Unicode';
  return Buffer.byteLength(id) > MAX_ID_BYTES ? TOO_LONG : null;
}

/** Query parameters of a GET, in the order they are written. */
export type Query = Readonly<Record<string, string | number | boolean>>;

/** `?a=1&b=2`, or nothing. */
export const encodeQuery = (query: Query): string => addQuery('', query);

/** Adds parameters to a path, which may have some already. */
export function addQuery(path: string, query: Query): string {
  let text = path;
  let mark = path.includes('?') ? '&' : '?';
  for (const name in query) {
    const value = query[name] as Query[string];
    const encoded = typeof value === 'string' ? encodeURIComponent(value) : value;
    text += `${mark}${encodeURIComponent(name)}=${encoded}`;
    mark = '&';
  }
  return text;
}
