import type { Item, List } from '../rest/list.ts';
import type { AssumedEnd } from './cursor.ts';
import { OutOfCallsError, PageOutOfReachError } from './errors.ts';
import { SAFE_LIMIT } from './known-limits.ts';
import { type NewestEnd, orderOf, type SeenOrder } from './newest-end.ts';
import type { Reader } from './reader.ts';
import type { PageSlice } from './segment.ts';
import { readSlice } from './slice.ts';
import type { PagingStrategy, SliceRequest } from './strategy.ts';

/** A page in the order of the list, and the end at which its newest items are. */
interface OrderedSlice<T> {
  readonly slice: PageSlice<T>;
  readonly newest: AssumedEnd;
}

interface NewestFirstOptions<T> extends Pick<List<T>, 'times'> {
  readonly strategy: PagingStrategy;
  /** The end that is set; null: the items show it. */
  readonly listOrder: NewestEnd | null;
}

/** So many items show the order reliably. The client gets as many as it has asked for. */
const ITEMS_TO_LEARN = SAFE_LIMIT;
/** Fewer steps overturn nothing: two items may have been swapped. */
const STEPS_TO_OVERTURN = 3;
/** Fewer steps are not remembered for other lists: a short list in no order may seem to be in one. */
const STEPS_TO_REMEMBER = 7;
/** So many steps in no order do not come from a few items that were pinned, or that came while they were read. */
const STEPS_IN_NO_ORDER = ITEMS_TO_LEARN - 1;

/**
 * Makes the function that reads a page of a list from its newest item on, whichever end of the list that is: a request counts
 * from the newest item.
 *
 * The times of the items show the order. A page without a cursor is read from the end that was right last, at first from the
 * head; if its items show that it is the wrong one, or nothing, the other end is read. A page at a cursor goes on in the
 * direction of the cursor's own page. Throws PageOutOfReachError for a list in neither order.
 */
export function createNewestFirst<T>(
  reader: Reader<T>,
  { strategy, listOrder, times }: NewestFirstOptions<T>,
): (request: SliceRequest) => Promise<OrderedSlice<T>> {
  const { order } = reader.endpoint;

  const readFrom = (newest: AssumedEnd, request: SliceRequest): Promise<PageSlice<T>> =>
    readSlice(reader, { ...request, isForward: leadsOn(newest, request) }, strategy);

  /** Throws if the items are in neither order. */
  function learn({ order: seen, steps }: SeenOrder): NewestEnd {
    if (seen === 'mixed' || seen === 'unclear') throw inNeitherOrder();
    if (steps >= STEPS_TO_REMEMBER) order.note(seen);
    return seen;
  }

  /** Reads the page at an end of the list. */
  async function readFirst(request: SliceRequest): Promise<OrderedSlice<T>> {
    const known = order.newestEnd;
    const least = known === null ? Math.min(ITEMS_TO_LEARN, reader.maxPageSize) : 0;
    const longer = { ...request, size: Math.max(request.size, least) };
    const toPage = (slice: PageSlice<T>, newest: AssumedEnd): OrderedSlice<T> => ({
      slice: shorten(slice, request.size, leadsOn(newest, request)),
      newest,
    });

    const expected = known ?? 'head';
    const slice = await readFrom(expected, longer);
    const shown = orderOf(slice.items, times);
    if (known !== null && !contradicts(shown, known)) return toPage(slice, known);
    const isWhole = !slice.hasNext && !slice.hasPrevious;
    if (shown.order === 'unclear' && isWhole) return toPage(slice, 'guessed');
    if (shown.order === expected || isWhole) return toPage(slice, learn(shown));

    const opposite = await readFrom(otherThan(expected), longer).catch(sayToSetOrder);
    const isBeginning = leadsOn(expected, request);
    const both = isBeginning ? join(slice, opposite) : join(opposite, slice);
    const shownByBoth = orderOf(both, times);
    if (shownByBoth.order === 'unclear')
      return toPage(expected === 'head' ? slice : opposite, 'guessed');
    const newest = learn(shownByBoth);
    const page = newest === expected ? slice : opposite;
    // Not for a page that is mixed: both ends together show more than one.
    if (orderOf(page.items, times).order === otherThan(newest)) throw inNeitherOrder();
    return toPage(page, newest);
  }

  /** The end at which the newest items are, for a page at a cursor. */
  async function findEnd({ cursor, isForward }: SliceRequest): Promise<AssumedEnd> {
    // A walk to older items goes on as it began, although its first page was a guess. Back from its start, newer items show.
    const isGuess = cursor?.newest === 'guessed' && !isForward;
    if (cursor?.newest !== undefined && !isGuess) return cursor.newest;
    const beginning = { cursor: null, isForward: true, size: 1 };
    const newest = order.newestEnd ?? (await readFirst(beginning)).newest;
    if (isGuess && newest === 'tail' && cursor.after.length > 0) throw guessedWrong();
    return newest;
  }

  return async (request) => {
    if (listOrder === null && request.cursor === null) return readFirst(request);
    const newest = listOrder ?? (await findEnd(request));
    return { slice: await readFrom(newest, request), newest };
  };
}

const otherThan = (end: NewestEnd): NewestEnd => (end === 'head' ? 'tail' : 'head');

/** Whether a page that counts from the newest item, or back to it, lies in the direction of the list. */
const leadsOn = (newest: AssumedEnd, { isForward }: SliceRequest): boolean =>
  isForward === (newest !== 'tail');

/** Whether the items show another order, by more steps than a few items make that are out of place. */
const contradicts = ({ order, steps }: SeenOrder, end: NewestEnd): boolean =>
  order === 'mixed'
    ? steps >= STEPS_IN_NO_ORDER
    : order === otherThan(end) && steps >= STEPS_TO_OVERTURN;

/** The items of two pages, in the order of the list. */
function join<T>(first: PageSlice<T>, second: PageSlice<T>): readonly Item<T>[] {
  const ids = new Set(first.items.map(({ id }) => id));
  return [...first.items, ...second.items.filter(({ id }) => !ids.has(id))];
}

/** The same page with at most `size` items, those nearest to the end of the list that it is at. */
function shorten<T>(slice: PageSlice<T>, size: number, isForward: boolean): PageSlice<T> {
  const { from, to } = slice;
  if (to - from <= size) return slice;
  return isForward
    ? { ...slice, to: from + size, hasNext: true }
    : { ...slice, from: to - size, hasPrevious: true };
}

/** The other end may be far. */
function sayToSetOrder(error: unknown): never {
  if (!(error instanceof OutOfCallsError)) throw error;
  throw new OutOfCallsError(
    `${error.message} Or set LIST_ORDER, if the service lists by time: the items at the head of the list do not show it.`,
  );
}

const guessedWrong = () =>
  new PageOutOfReachError(
    'What came since shows that this page was read from the oldest items: they all had one time. Read the list again from its start.',
  );

const inNeitherOrder = () =>
  new PageOutOfReachError(
    'The newest items cannot be found: the service lists neither the newest nor the oldest first, as far as the times of the items show. If it does, set LIST_ORDER.',
  );
