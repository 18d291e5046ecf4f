import type { PageOptions } from '../paging/cost.ts';
import { type Cursor, NEIGHBOURS } from '../paging/cursor.ts';
import { PageOutOfReachError } from '../paging/errors.ts';
import { type NewestEnd, orderOf } from '../paging/newest-end.ts';
import { Reader } from '../paging/reader.ts';
import { type PageSlice, toSlice } from '../paging/segment.ts';
import { readSlice } from '../paging/slice.ts';
import type { Item, List, TimeOf } from '../rest/list.ts';
import { NoNewestEndError } from './errors.ts';

/** The newest items of a list: MAX_PAGE_SIZE at most, or ten times as many if the service sends the whole list at once. */
export interface Window<T> {
  /** In the order of the list. */
  readonly items: readonly Item<T>[];
  /** Whether the list has no other items. */
  readonly isWhole: boolean;
  readonly newestEnd: NewestEnd;
  /** The time by which an item is new. */
  readonly timeOf: TimeOf<T>;
}

type UntimedWindow<T> = Omit<Window<T>, 'timeOf'>;

/**
 * A service may send its whole list at once, whatever was asked for, or because it has no parameter for the next page. More
 * than this many windows would be too much to keep for every poll. Then only the newest window is kept; a list that has to be
 * read to its end in one call cannot be watched.
 */
const MOST_WINDOWS_IN_A_CALL = 10;
/** A window at the tail that holds less than this part of its size is filled up again from the list before it. */
const LEAST_FILLED = 1 / 2;

/**
 * Makes the function that reads the window of one list, again and again. Whatever the interface leaves open about paging,
 * order and maximum `limit` is met here.
 */
export function createWindowReader<T>({
  strategy,
  bounds,
}: PageOptions): (list: List<T>) => Promise<Window<T>> {
  const size = bounds.maxPageSize;
  /** Not needed while the whole list fits into the window. */
  let newestEnd: NewestEnd | null = null;
  /** The item before the window, if that is at the tail: a poll begins behind it. */
  let beforeTail: Cursor | null = null;
  /**
   * Whether one call returns all that can be read, because no parameter continues the list; null: unknown. Decided once: a
   * window that shrank and grew again would lose what changed meanwhile.
   */
  let isAtOnce: boolean | null = strategy.readAtCursor === undefined ? true : null;

  async function readHead(
    reader: Reader<T>,
    times: List<T>['times'],
  ): Promise<PageSlice<T>> {
    const needsMore = ({ items, hasNext }: PageSlice<T>): boolean =>
      hasNext && items.length < size && orderOf(items, times).order !== 'tail';
    // With PAGING=auto, a list whose newest items are at its tail needs the calls for the way there.
    const first =
      isAtOnce === null && strategy.isOneCall ? await readAtOnce(reader) : null;
    if (first !== null && !needsMore(first)) return first;
    const slice = isAtOnce === true ? null : await readInParts(reader);
    return slice ?? first ?? (await readAtOnce(reader));
  }

  async function readAtOnce(reader: Reader<T>): Promise<PageSlice<T>> {
    const { items, hasMore } = await reader.ask({ limit: size });
    return toSlice({ items, hasMore, start: 0 }, 0, items.length);
  }

  /** Null if it turns out that one call returns all that can be read. */
  async function readInParts(reader: Reader<T>): Promise<PageSlice<T> | null> {
    const request = { isForward: true, size, cursor: null } as const;
    try {
      const slice = await readSlice(reader, request, strategy);
      if (!reader.allows(slice.to - slice.from)) isAtOnce = false;
      return slice;
    } catch (error) {
      if (isAtOnce === false || !(error instanceof PageOutOfReachError)) throw error;
      isAtOnce = true;
      return null;
    }
  }

  async function readTail(reader: Reader<T>): Promise<UntimedWindow<T>> {
    const slice = (await readBehind(reader)) ?? (await walkToTail(reader));
    const most = size * MOST_WINDOWS_IN_A_CALL;
    if (reader.style.isOneCall && slice.start + slice.to > most) throw tooLong(most);
    const from = Math.max(slice.from, slice.to - size);
    beforeTail = cursorBefore(slice, from, beforeTail);
    return {
      items: slice.items.slice(from, slice.to),
      isWhole: beforeTail === null,
      newestEnd: 'tail',
    };
  }

  /** Reads on from where the last poll began; null if the list has changed too much for that. */
  async function readBehind(reader: Reader<T>): Promise<PageSlice<T> | null> {
    if (beforeTail === null) return null;
    const request = { isForward: true, size: 2 * size, cursor: beforeTail } as const;
    const slice = await readSlice(reader, request, strategy).catch((error) => {
      if (error instanceof PageOutOfReachError) return null;
      throw error;
    });
    const isFilled = slice !== null && slice.to - slice.from >= size * LEAST_FILLED;
    return isFilled && !slice.hasNext ? slice : null;
  }

  function walkToTail(reader: Reader<T>): Promise<PageSlice<T>> {
    beforeTail = null;
    return readSlice(reader, { isForward: false, size, cursor: null }, strategy);
  }

  async function readWindow(list: List<T>): Promise<UntimedWindow<T>> {
    const allowance = { expected: bounds.maxCalls, budget: { takeSlack: () => true } };
    const reader = new Reader(list, bounds, { ...allowance, style: strategy });
    if (beforeTail !== null) return readTail(reader);
    const { items, from, to, hasNext } = await readHead(reader, list.times);
    const first = items.slice(from, to);
    const most = size * MOST_WINDOWS_IN_A_CALL;
    if (!hasNext && first.length <= most)
      return { items: first, isWhole: true, newestEnd: newestEnd ?? 'head' };
    const order = newestEnd ?? orderOf(first, list.times).order;
    if (order === 'mixed' || order === 'unclear') throw notInOrder(hasNext ? size : most);
    newestEnd = order;
    if (newestEnd === 'tail' && hasNext) return readTail(reader);
    const newest = newestEnd === 'tail' ? first.slice(-size) : first.slice(0, size);
    return { items: newest, isWhole: false, newestEnd };
  }

  return async (list) => ({ ...(await readWindow(list)), timeOf: list.times[0] });
}

/** The cursor of the item before an index; null at the head of the list. `last`: where this slice was read from. */
function cursorBefore(
  { items, start, before = [] }: PageSlice<unknown>,
  index: number,
  last: Cursor | null,
): Cursor | null {
  const at = index - 1;
  if (at < 0) return last && { ...last, position: Math.max(0, start - 1) };
  const ids = items.slice(Math.max(0, at - NEIGHBOURS), at).map(({ id }) => id);
  return {
    position: start + at,
    id: items[at]?.id ?? null,
    before: [...ids.reverse(), ...before].slice(0, NEIGHBOURS),
    // What comes after it is what may change.
    after: [],
    head: start === 0 ? (items[0]?.id ?? null) : (last?.head ?? null),
  };
}

const notInOrder = (most: number) =>
  new NoNewestEndError(
    `The newest items of this list cannot be found: it has more than ${most} items, and the service does not order them by time. Raise MAX_PAGE_SIZE until the whole list fits into it.`,
  );

const tooLong = (most: number) =>
  new NoNewestEndError(
    `The newest items of this list are at its end, after more than ${most} others, and all of these would have to be read again and again. Set PAGING to the way the service pages.`,
  );
