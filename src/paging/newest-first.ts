import type { Item, TimeOf } from '../rest/list.ts';
import { type NewestEnd, orderOf } from './newest-end.ts';
import type { Reader } from './reader.ts';
import type { PageSlice } from './segment.ts';
import { readSlice } from './slice.ts';
import type { PagingStrategy, SliceRequest } from './strategy.ts';

/** A page, and the end of the list at which its newest items are. */
interface OrderedSlice<T> {
  readonly slice: PageSlice<T>;
  readonly newestEnd: NewestEnd;
}

interface NewestFirstOptions<T> {
  readonly strategy: PagingStrategy;
  /** The end that is set; null: the items show it. */
  readonly listOrder: NewestEnd | null;
  readonly times: readonly TimeOf<T>[];
}

/** Two items of different times show the order; one shows nothing. */
const LEAST_SIZE = 2;

/**
 * Reads a page of a list from its newest item on, whichever end of the list that is: `request` counts from the newest item,
 * and the slice is in the list's own order. The end that was right last is read first. The items of the answer show whether
 * it is right; if it is not, the other end is read. Throws PageOutOfReachError for a list in neither order.
 */
export async function readNewestFirst<T>(
  reader: Reader<T>,
  request: SliceRequest,
  { strategy, listOrder, times }: NewestFirstOptions<T>,
): Promise<OrderedSlice<T>> {
  const { order } = reader.endpoint;
  const { cursor } = request;
  const size = Math.max(request.size, listOrder === null ? LEAST_SIZE : 1);

  async function readFrom(newestEnd: NewestEnd): Promise<PageSlice<T>> {
    return readSlice(reader, { cursor, size, isForward: leadsOn(newestEnd) }, strategy);
  }

  /** Whether the page lies in the direction of the list. */
  const leadsOn = (newestEnd: NewestEnd): boolean =>
    request.isForward === (newestEnd === 'head');

  const toPage = (slice: PageSlice<T>, newestEnd: NewestEnd): OrderedSlice<T> => ({
    slice: shorten(slice, request.size, leadsOn(newestEnd)),
    newestEnd,
  });

  const known = listOrder ?? order.newestEnd;
  const expected = known ?? 'head';
  const slice = await readFrom(expected);
  if (listOrder !== null) return toPage(slice, expected);
  const shown = orderOf(slice.items, times);
  const isClear = shown === 'head' || shown === 'tail';
  // Then the page has both ends of the list.
  const isWhole = cursor === null && !slice.hasNext && !slice.hasPrevious;
  if (!isClear && known !== null) return toPage(slice, known);
  if (shown === 'unclear' && isWhole) return toPage(slice, expected);
  if (shown !== 'unclear' && (shown === expected || isWhole))
    return toPage(slice, order.note(shown));

  const other = expected === 'head' ? 'tail' : 'head';
  const opposite = await readFrom(other);
  // Without a cursor, a page in the direction of the list is its beginning; with one, it comes behind the other page.
  const isFirst = leadsOn(expected) === (cursor === null);
  const both = isFirst ? join(slice, opposite) : join(opposite, slice);
  const shownByBoth = orderOf(both, times);
  if (shownByBoth === 'unclear') return toPage(slice, expected);
  const newestEnd = order.note(shownByBoth);
  return toPage(newestEnd === expected ? slice : opposite, newestEnd);
}

/** The items of two pages, in the order of the list. */
function join<T>(first: PageSlice<T>, second: PageSlice<T>): readonly Item<T>[] {
  const ids = new Set(first.items.map(({ id }) => id));
  return [...first.items, ...second.items.filter(({ id }) => !ids.has(id))];
}

/** The same page with at most `size` items, those nearest to where it was asked for. */
function shorten<T>(slice: PageSlice<T>, size: number, isForward: boolean): PageSlice<T> {
  const { leftOut = [] } = slice;
  let { from, to } = slice;
  const isTooLong = () =>
    to - from - leftOut.filter((at) => at >= from && at < to).length > size;
  if (!isTooLong()) return slice;
  while (isTooLong()) {
    if (isForward) to -= 1;
    else from += 1;
  }
  return {
    ...slice,
    from,
    to,
    hasNext: isForward || slice.hasNext,
    hasPrevious: !isForward || slice.hasPrevious,
  };
}
