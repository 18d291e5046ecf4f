import type { Cursor } from './cursor.ts';
import { PageOutOfReachError } from './errors.ts';
import { locate, type Place, settledAt } from './locate.ts';
import { hasEarlier, takeAfter, takeBefore } from './page-slice.ts';
import type { Reader } from './reader.ts';
import { type PageSlice, type Segment, toSlice } from './segment.ts';
import type { PagingStrategy, SliceRequest } from './strategy.ts';

/** Reads a part of a list. Throws PageOutOfReachError if it cannot be read from the service, and the errors of rest/. */
export function readSlice<T>(
  reader: Reader<T>,
  { isForward, size, cursor }: SliceRequest,
  strategy: PagingStrategy,
): Promise<PageSlice<T>> {
  const fromHead = () => readFromHead({ strategy, reader, size, cursor, isForward });
  if (cursor === null || strategy.readAtCursor === undefined) return fromHead();
  return strategy
    .readAtCursor(reader, { cursor, size, isForward })
    .then((found) => found ?? fromHead());
}

interface HeadRead<T> extends SliceRequest {
  readonly strategy: PagingStrategy;
  readonly reader: Reader<T>;
  /** The head of the list, if it was read just now. */
  readonly head?: Segment<T>;
}

const HEAD: Place = { index: 0, by: 'own', isAlone: false, passed: new Set() };

/** How many items to ask for first when searching for the end of a list. Doubles until the end is found. */
const FIRST_WALK = 100;

/** Reads a list from its head to the page at the cursor. */
export const readFromHead = <T>(options: HeadRead<T>): Promise<PageSlice<T>> =>
  options.isForward ? readForward(options) : readBackward(options);

/** Reads to the page after the cursor. */
function readForward<T>(options: HeadRead<T>): Promise<PageSlice<T>> {
  const { cursor, size } = options;
  const wanted = (cursor === null ? 0 : cursor.position + 1) + size;
  let expected = wanted;
  return readUntil(options, wanted, (segment) => {
    const place = cursor === null ? HEAD : locate(segment.items, cursor, 'after');
    if (place === null) return lookFurther(segment);
    if (isTooSoon(place, segment, cursor)) return wanted;
    const page = takeAfter(segment, place, size);
    const leftOut = page.leftOut?.length ?? 0;
    const needed = Math.max(place.index + size + leftOut, settledAt(place));
    if (isEnough(segment, needed + options.reader.ahead)) return page;
    const margin = options.reader.ahead + marginFor(options, needed, needed - expected);
    expected = needed;
    return needed + margin;
  });
}

/** Reads to the page before the cursor; without a cursor, to the end of the list. */
function readBackward<T>(options: HeadRead<T>): Promise<PageSlice<T>> {
  const { cursor, size, reader } = options;
  const firstWalk = Math.max(size, Math.min(FIRST_WALK, reader.maxPageSize));
  const wanted = cursor === null ? firstWalk : cursor.position + 1;
  return readUntil(options, wanted, (segment) => {
    const { items, hasMore } = segment;
    if (cursor === null) {
      if (hasMore) return lookFurther(segment);
      return toSlice(segment, items.length - size, items.length);
    }
    const place = locate(items, cursor, 'before');
    if (place === null) return lookFurther(segment);
    if (isTooSoon(place, segment, cursor)) return wanted;
    const needed = settledAt(place);
    return isEnough(segment, needed) ? takeBefore(segment, place, size) : needed;
  });
}

/** Whether the cursor's own item may still come: a neighbour that has moved is perhaps found before it. */
const isTooSoon = <T>(
  { by }: Place,
  { items, hasMore }: Segment<T>,
  cursor: Cursor | null,
): boolean =>
  by !== 'own' && cursor !== null && hasMore && items.length <= cursor.position;

/**
 * How many more items to ask for than needed, because more may arrive before the next call, and a style that reads the list
 * from its head each time would never catch up. Twice as many as arrived since the last call.
 */
function marginFor<T>({ reader }: HeadRead<T>, needed: number, arrived: number): number {
  const most = Math.max(FIRST_WALK, reader.maxPageSize);
  const margin = Math.min(Math.max(0, 2 * arrived), most);
  return reader.style.isOneCall && reader.allows(needed + margin) ? margin : 0;
}

const isEnough = <T>({ items, hasMore }: Segment<T>, needed: number): boolean =>
  items.length >= needed || !hasMore;

/** A list of which nothing is read yet. */
export const UNREAD = { items: [], start: 0, hasMore: true };

/** Reads on until `decide` returns a page. Until then, it returns how many items it needs. */
async function readUntil<T>(
  { strategy, reader, head }: HeadRead<T>,
  firstWanted: number,
  decide: (segment: Segment<T>) => PageSlice<T> | number,
): Promise<PageSlice<T>> {
  let wanted = firstWanted;
  let segment = head ?? (await strategy.extend(reader, UNREAD, wanted));
  for (;;) {
    const decision = decide(segment);
    // The list begins with the items that were its head: others may have arrived in front of them since.
    if (typeof decision === 'object')
      return { ...decision, hasPrevious: hasEarlier(decision) };
    const { length } = segment.items;
    if (reader.style.isOneCall && length < wanted) {
      throw new PageOutOfReachError(
        `This page is out of reach: the service returned only ${length} of the ${wanted} items requested. Set PAGING to the way the service pages.`,
      );
    }
    wanted = decision;
    segment = await strategy.extend(reader, segment, wanted);
  }
}

/** How many items to ask for next, because the segment does not reach the cursor, or the end of the list. */
function lookFurther<T>(segment: Segment<T>): PageSlice<T> | number {
  const { items, hasMore } = segment;
  if (hasMore) return Math.max(FIRST_WALK, items.length * 2);
  // No item comes before or after a cursor in an empty list.
  if (items.length === 0) return toSlice(segment, 0, 0);
  throw new PageOutOfReachError(
    "The cursor's item and all items beside it that the cursor remembers are gone. Read the list again from its start.",
  );
}
