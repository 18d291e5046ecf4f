import { type Decoder, object } from './decode.ts';
import type { Shape } from './drift.ts';
import { type Identified, type List, page, type ReadPage, type TimeOf } from './list.ts';
import { encodeQuery, type Path, pathsOf, type Query } from './path.ts';
import type { ReadAnswer, Send } from './send.ts';
import type { Timestamp } from './timestamp.ts';

/** A time of an object: the first of these fields that is not null. */
type TimeFields<T> = readonly TimeField<T>[];
type TimeField<T> = {
  [F in keyof T]: T[F] extends Timestamp | null ? F & string : never;
}[keyof T];

/** A text is an id. What is undefined is not sent. */
type Filters = Readonly<Record<string, string | true | undefined>>;

interface ReadsOptions<T, F> {
  /** What follows the version in its paths, `messages`. */
  readonly name: string;
  readonly decoder: Decoder<T>;
  /** The times by which the service may have ordered the list; the first one that is in order counts. Open point: order of lists. */
  readonly times: readonly [TimeFields<T>, ...TimeFields<T>[]];
  /** The gateway does not order by these, because an old object may have a late one. The probe reports a list that is sorted by one. */
  readonly otherTimes?: readonly TimeFields<T>[];
  /** The query parameters of a filter; throws BadInputError. Each may be left out. */
  readonly toFilters: (filter: F) => Filters;
}

/** How the objects of one resource are read: all that its two GET endpoints need. */
export interface Reads<T, F> {
  readonly name: string;
  /** The type of its objects in the schema. */
  readonly typeName: string;
  readonly shape: Shape;
  readonly path: Path;
  readonly toItemPath: (id: string) => Path;
  readonly readOne: ReadAnswer<T>;
  readonly readPage: ReadPage<T>;
  /** The query parameters by which the list is filtered. */
  readonly filters: readonly string[];
  /** All times, by their names in the interface. */
  readonly wireTimes: readonly (readonly string[])[];
  readonly list: (send: Send, filter: F) => List<T>;
  /** Throws BadInputError at once: an async function would cost three more steps for each object. */
  readonly get: (send: Send, id: string) => Promise<T>;
}

export function createReads<T extends Identified, F extends object>({
  name,
  decoder,
  times,
  otherTimes = [],
  toFilters,
}: ReadsOptions<T, F>): Reads<T, F> {
  const { path, toItemPath } = pathsOf(name);
  const readOne = object(decoder);
  const readPage = page(decoder);
  const [first, ...others] = times;
  const timesOf: List<T>['times'] = [toTimeOf(first), ...others.map(toTimeOf)];
  return {
    name,
    typeName: decoder.shape.object,
    shape: decoder.shape,
    path,
    toItemPath,
    readOne,
    readPage,
    filters: Object.keys(toFilters({} as F)),
    wireTimes: [...times, ...otherTimes].map((fields) => fields.map(toWireName)),
    list(send, filter) {
      const filters = toFilters(filter);
      const query: Record<string, Query[string]> = {};
      let filtersById = false;
      for (const name in filters) {
        const value = filters[name];
        if (value === undefined) continue;
        query[name] = value;
        filtersById ||= value !== true;
      }
      const key = path.text + encodeQuery(query);
      const filtered = { text: key, route: path.route };
      return {
        key,
        caller: send.caller,
        filtersById,
        times: timesOf,
        read: (window) => send.get(filtered, readPage, window),
      };
    },
    get: (send, id) => send.get(toItemPath(id), readOne),
  };
}

const toTimeOf =
  <T>(fields: TimeFields<T>): TimeOf<T> =>
  (value) => {
    for (const field of fields) {
      const time = value[field] as number | null;
      if (time !== null) return time;
    }
    return null;
  };

/** The schema has the names of the interface in camelCase, one to one. */
const toWireName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
