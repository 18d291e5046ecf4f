import type { CallerId } from '../callers/caller-id.ts';
import { turnForLongWork } from '../callers/event-loop.ts';
import { type Decoder, decoder, invalidData, object, readObject } from './decode.ts';
import type { ReportDrift } from './drift.ts';
import { type Call, RestDecodeError } from './errors.ts';
import type { Query } from './path.ts';
import type { ReadAnswer } from './send.ts';

/** An item of a list. A malformed item keeps its position, with an error instead of a value. */
export interface Item<T> {
  /** Null if the item is malformed and even its id cannot be read. */
  readonly id: string | null;
  readonly value: T | RestDecodeError;
}

/** A time of an item; null if it has none. Unit: the service's. */
export type TimeOf<T> = (value: T) => number | null;

/** Null for a malformed item, too. */
export const timeOfItem = <T>({ value }: Item<T>, timeOf: TimeOf<T>): number | null =>
  value instanceof Error ? null : timeOf(value);

/** What one call of a list endpoint returned. Source: Endpoints, "Lists". */
export interface Page<T> {
  readonly items: readonly Item<T>[];
  readonly hasMore: boolean;
}

/** A list of the service with its filters, before any page is read. */
export interface List<T> {
  /** Identifies the list: its path and filters. */
  readonly key: string;
  /** Who reads it. */
  readonly caller: Pick<CallerId, 'key'>;
  /** Whether it is filtered by an id. Then a 404 means an unknown id, and not a wrong address. */
  readonly filtersById: boolean;
  /** The times by which the service may have ordered it; the first one that is in order counts. Open point: order of lists. */
  readonly times: readonly [TimeOf<T>, ...TimeOf<T>[]];
  /** Reads one part of the list; `window` holds `limit` and the paging parameters. */
  read(window: Query): Promise<Page<T>>;
}

/** How many items a page has by default. Source: Limits. */
export const DEFAULT_PAGE_SIZE = 10;

export interface Identified {
  readonly id: string;
}

/** A long page is read in several turns of the event loop. */
export type ReadPage<T> = ReadAnswer<Page<T> | Promise<Page<T>>>;

/** Source: Endpoints, "Lists". */
const pageDecoder = decoder('List', (wire) => ({
  hasMore: wire.flag('has_more'),
  data: wire.list('data'),
}));
export const PAGE = pageDecoder.shape;
const readListFields = object(pageDecoder);

/** A service may send half a million items, whatever was asked for. Reading this many takes a millisecond or so. */
const ITEMS_AT_ONCE = 500;
/** How long items are read without a pause. Unit: milliseconds. */
const MAX_PAUSELESS_MS = 10;

/** Makes the reader of the answers of a list endpoint; a malformed item does not affect the others. */
export function page<T extends Identified>(decoder: Decoder<T>): ReadPage<T> {
  return (json, call, report) => {
    const { hasMore, data } = readListFields(json, call, report);
    const readItem = itemReader(decoder, call, report);
    if (data.length > ITEMS_AT_ONCE) return readLong(data, hasMore, readItem);
    const items: Item<T>[] = [];
    for (const item of data) items.push(readItem(item));
    return { hasMore, items };
  };
}

/** Reads the items of a long page, and lets others have their turn in between. */
async function readLong<T>(
  data: readonly unknown[],
  hasMore: boolean,
  readItem: (json: unknown) => Item<T>,
): Promise<Page<T>> {
  const items: Item<T>[] = [];
  let began = performance.now();
  for (const item of data) {
    items.push(readItem(item));
    if (items.length % ITEMS_AT_ONCE > 0) continue;
    if (performance.now() - began < MAX_PAUSELESS_MS) continue;
    await turnForLongWork();
    began = performance.now();
  }
  return { hasMore, items };
}

/**
 * Reads an item; if it is malformed, makes an error at its position. Items that are malformed in the same way share one
 * error: half a million would take more memory than the answer.
 */
function itemReader<T extends Identified>(
  decoder: Decoder<T>,
  call: Call,
  report: ReportDrift,
): (json: unknown) => Item<T> {
  const source = { call, report };
  const errors = new Map<string, RestDecodeError>();
  const toError = (trouble: string): RestDecodeError => {
    const error = errors.get(trouble) ?? invalidData(call, trouble);
    errors.set(trouble, error);
    return error;
  };
  return (json) => {
    const value = readObject(json, decoder, source, toError);
    return { id: value instanceof RestDecodeError ? readId(json) : value.id, value };
  };
}

function readId(json: unknown): string | null {
  if (typeof json !== 'object' || json === null || !('id' in json)) return null;
  return typeof json.id === 'string' && json.id.isWellFormed() ? json.id : null;
}
