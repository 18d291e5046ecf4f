import type { Item, Page } from '../rest/list.ts';
import type { Neighbour } from './cursor.ts';
import { PageOutOfReachError } from './errors.ts';

/** Consecutive items of a list in the service's order, joined from one or more calls. */
export interface Segment<T> extends Page<T> {
  /** The position of the first item at the time of the last call; the head of the list is 0. */
  readonly start: number;
  /** How it moved while it was read, if it did. */
  readonly shift?: Shift;
  /** By how many items the last answer was shorter than asked for, although the list has more. The service may leave some out. */
  readonly short?: number;
}

/** How the items of a segment move on while they are read, because others arrive in front of them. Unit: items. */
interface Shift {
  /** How many arrived between the last two calls. */
  readonly arrivals: number;
  /** How many to expect before the next call. */
  readonly expected: number;
  /** How far past its expected position the last item was looked for without success. */
  readonly searched: number;
  /** How many calls in a row have brought nothing. Unit: calls. */
  readonly misses: number;
}

export const STILL: Shift = { arrivals: 0, expected: 0, searched: 0, misses: 0 };

/** A page, and the known items around it. */
export interface PageSlice<T> {
  readonly items: readonly Item<T>[];
  /** The position of the first of `items`, as far as known. */
  readonly start: number;
  /** The page is `items.slice(from, to)`, without `leftOut`. */
  readonly from: number;
  readonly to: number;
  /** The indexes of items beyond the cursor that the client has passed before, furthest first. Missing if there are none. */
  readonly leftOut?: readonly number[];
  /** The ids that the client has passed last, and that no answer has shown to be beside `items`. */
  readonly missing?: readonly Neighbour[];
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  /** Ids known to lie before and after `items`, nearest first. Missing if there are none. */
  readonly before?: readonly Neighbour[];
  readonly after?: readonly Neighbour[];
}

/** The items `from` to `to` (exclusive) of a segment as a page. */
export function toSlice<T>(
  { items, start, hasMore }: Segment<T>,
  from: number,
  to: number,
): PageSlice<T> {
  const begin = Math.min(Math.max(0, from), items.length);
  const end = Math.min(to, items.length);
  return {
    items,
    start,
    from: begin,
    to: end,
    hasPrevious: start + begin > 0,
    hasNext: hasMore || end < items.length,
  };
}

/** After this many calls that do not show where known items are, the list has changed too much to go on. */
const MAX_MISSES = 4;

export const endOf = <T>({ start, items }: Segment<T>): number => start + items.length;

/**
 * Appends what follows the last item of a segment in a later answer. If many items have arrived in front of the segment
 * meanwhile, the answer may end before the segment's last item; then only the position of the segment is corrected. Throws
 * PageOutOfReachError if the answers do not show where the list continues. `isFromHead`: items that have come between known
 * ones are inserted there. False: they are appended, because the place of the cursor is an index in the segment already.
 */
export function joinAfter<T>(
  segment: Segment<T>,
  later: Segment<T>,
  isFromHead = false,
): Segment<T> {
  const { items, shift = STILL } = segment;
  const { arrivals, expected } = shift;
  const { short = 0 } = later;
  const misses = shift.misses + 1;
  const found = continueFrom(
    items,
    later.items,
    endOf(segment) - 1 - later.start,
    isFromHead,
  );
  if (found === null) {
    if (misses > MAX_MISSES || (expected === 0 && !later.hasMore)) throw listChanged();
    // Either fewer items arrived than before, or more than the answer holds.
    const searched = expected > 0 ? 0 : Math.max(0, endOf(later) - endOf(segment));
    return { ...segment, shift: { arrivals: 0, expected: 0, searched, misses } };
  }
  const { fresh, at } = found;
  const end = later.start + at + 1;
  const moved = end - fresh.length - endOf(segment);
  const isMiss = fresh.length === 0 && moved === 0 && later.hasMore;
  if (isMiss && (short === 0 || misses > MAX_MISSES)) throw nothingNew();
  // The answer begins as the segment does, although the position has moved. Either as many items have arrived as are known,
  // or the service ignores the position and always returns the head of the list.
  const isHead = moved !== 0 && items.length > 1 && beginsAlike(segment, later);
  if (isHead && misses > MAX_MISSES) throw listChanged();
  return {
    start: Math.max(0, segment.start + moved),
    items: found.joined,
    hasMore: later.hasMore || end > endOf(later),
    short,
    shift: {
      arrivals: Math.max(0, moved),
      expected: Math.max(0, Math.min(arrivals, moved)),
      searched: 0,
      misses: isHead || isMiss ? misses : 0,
    },
  };
}

/** Prepends what comes before the first item of a segment in an earlier one; null if that repeats none of its items. */
export function joinBefore<T>(
  earlier: Segment<T>,
  segment: Segment<T>,
): Segment<T> | null {
  const known = segment.items.toReversed();
  const read = earlier.items.toReversed();
  const found = continueFrom(known, read, endOf(earlier) - 1 - segment.start);
  if (found === null) return null;
  const items = found.joined.toReversed();
  const start = Math.max(0, endOf(earlier) - 1 - found.at);
  return { ...segment, items, start, short: earlier.short ?? 0 };
}

export const nothingNew = () =>
  new PageOutOfReachError(
    'The service reports more items but returns no new ones. Set PAGING or PAGING_PARAM to the way the service pages.',
  );

export const listChanged = () =>
  new PageOutOfReachError(
    'The list changed while it was read, or the service does not page as PAGING says. To continue, ask again or change PAGING.',
  );

const beginsAlike = <T>(one: Segment<T>, other: Segment<T>): boolean =>
  one.items[0]?.id != null && one.items[0].id === other.items[0]?.id;

/** What an answer has behind the known items. */
interface Continuation<T> {
  readonly fresh: readonly Item<T>[];
  /** The known items and these. */
  readonly joined: readonly Item<T>[];
  /** The index in the answer of the last of these; without any, of the last known item. It may be beyond the answer. */
  readonly at: number;
}

/**
 * Finds where an answer continues the known items; null if it holds none of them. The last known item is looked for at its
 * expected index, else by the first known item in the answer. The answer does not show whether an unknown item was inserted or
 * moved, so each counts as new: nothing is lost or repeated. Throws PageOutOfReachError if something may be lost.
 */
function continueFrom<T>(
  known: readonly Item<T>[],
  items: readonly Item<T>[],
  expected: number,
  isInOrder = false,
): Continuation<T> | null {
  const ids = new Set(known.map(({ id }) => id));
  const isKnown = ({ id }: Item<T>) => id !== null && ids.has(id);
  const isThere = items[expected] && items[expected].id === known.at(-1)?.id;
  const at = isThere ? expected : items.findIndex(isKnown);
  if (at === -1) return null;
  const index = isThere
    ? known.length - 1
    : known.findIndex(({ id }) => id === items[at]?.id);

  const isSame = (offset: number) =>
    items[at + offset]?.id === known[index + offset]?.id && items[at + offset];
  let first = 0;
  while (isSame(first - 1)) first -= 1;
  let last = 0;
  while (isSame(last + 1)) last += 1;
  // What comes before the first known item, or before one that was expected, is another part of the list.
  const isBetween = !isThere && index + first > 0;
  const between = isBetween ? items.slice(0, at + first) : [];
  const isCut = index + last < known.length - 1 && at + last + 1 < items.length;
  // The answer begins further on, so that others may be in front of it, where the last known item was.
  if (expected < 0 && (between.length > 0 || isCut)) throw listChanged();
  const behind = items.slice(at + last + 1).filter((item) => !isKnown(item));
  const fresh = [...between, ...behind];
  const place = isInOrder ? index + first : known.length;
  const newest = isInOrder ? behind.at(-1) : fresh.at(-1);
  return {
    fresh,
    joined: [...known.slice(0, place), ...between, ...known.slice(place), ...behind],
    at: newest ? items.lastIndexOf(newest) : at + known.length - 1 - index,
  };
}
