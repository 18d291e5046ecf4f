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

/** The paths of a resource: of its list, and of one object, whose id becomes exactly one percent-encoded segment. */
export function pathsOf(resource: string) {
  const all = `${API_VERSION}/${resource}`;
  const route = `${all}/:id`;
  return {
    path: { text: all, route: all },
    /** Throws BadInputError. */
    toItemPath: (id: string): Path => ({
      text: `${all}/${encodeURIComponent(checkId(id))}`,
      route,
    }),
  };
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
