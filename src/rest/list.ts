import { type Decode, driftChecked, flag, list, object } from './decode.ts';
import { shape } from './drift.ts';
import { RestDecodeError } from './errors.ts';
import type { Path } from './path.ts';
import { encodeQuery, type Query, type Read, type Send } from './send.ts';

/** One place of a list. A malformed item keeps its place, with the error instead of a value. */
export interface Item<T> {
  /** Null when malformed and even the id cannot be read. */
  readonly id: string | null;
  readonly value: T | RestDecodeError;
}

/** What one call of a list endpoint returned. Source: Endpoints, `{ has_more, data }`. */
export interface Page<T> {
  readonly items: readonly Item<T>[];
  readonly hasMore: boolean;
}

/** A list of the service, with its filters fixed; not yet read. */
export interface List<T> {
  /** The same for the same list, and different for every other. */
  readonly key: string;
  /** Whether a filter names an id, so that "unknown" means that id, and not a wrong address. */
  readonly filtersById: boolean;
  /** Reads one part of it; `window` holds `limit` and whatever the service pages by. */
  read(window: Query): Promise<Page<T>>;
}

/** How many items a page has when nobody says. Source: Limits, "Default page size of both list endpoints". */
export const DEFAULT_PAGE_SIZE = 10;

/** Query parameters the interface itself has, which a paging parameter must not overwrite. Source: Endpoints. */
export const TAKEN_PARAMETERS: readonly string[] = [
  'limit',
  'conversation_id',
  'group_id',
  'muted',
  'archived',
  'pinned',
];

export interface Identified {
  readonly id: string;
}

interface ListOptions<T> {
  readonly path: Path;
  /** Filters; those that are undefined are not sent. */
  readonly filters: Readonly<Record<string, string | true | undefined>>;
  readonly filtersById: boolean;
  readonly decode: Decode<T>;
}

export function createList<T extends Identified>(
  send: Send,
  { path, filters, filtersById, decode }: ListOptions<T>,
): List<T> {
  const query = Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined),
  ) as Query;
  return {
    key: path.text + encodeQuery(query),
    filtersById,
    read: (window) => send.get(path, page(decode), { ...query, ...window }),
  };
}

/** Source: Endpoints, "Lists". */
export const PAGE = shape('List', { has_more: 'boolean', data: 'array' });

/** Reads the page that a list endpoint answered; one malformed item costs that item and no other. */
const page =
  <T extends Identified>(decode: Decode<T>): Read<Page<T>> =>
  (json, call, report) => {
    const readItem = object(decode);
    const toItem = (item: unknown) => itemOr(item, () => readItem(item, call, report));
    const readPage = object(
      driftChecked(PAGE, (wire) => ({
        hasMore: flag(wire, 'has_more'),
        items: list(wire, 'data').map(toItem),
      })),
    );
    return readPage(json, call, report);
  };

/** The item, or the error in its place. */
function itemOr<T extends Identified>(json: unknown, read: () => T): Item<T> {
  try {
    const value = read();
    return { id: value.id, value };
  } catch (error) {
    if (!(error instanceof RestDecodeError)) throw error;
    return { id: readId(json), value: error };
  }
}

function readId(json: unknown): string | null {
  if (typeof json !== 'object' || json === null || !('id' in json)) return null;
  return typeof json.id === 'string' && json.id.isWellFormed() ? json.id : null;
}
