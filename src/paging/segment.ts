import type { Item, Page } from '../rest/list.ts';
import type { Neighbour } from './cursor.ts';
import { PageOutOfReachError } from './errors.ts';

/** Consecutive items of a list in the service's order, joined from one or more calls. */
export interface Segment<T> extends Page<T> {
  /** The position of the first item at the time of the last call; the head of the list is 0. */
  readonly start: number;
  /** How it moved while it was read, if it did. */
  readonly drift?: Drift;
}

/** How the items of a segment move on while they are read, because others arrive in front of them. Unit: items. */
interface Drift {
  /** How many arrived between the last two calls. */
  readonly arrivals: number;
  /** How many to expect before the next call. */
  readonly expected: number;
  /** How many positions behind the last item were searched for it in vain. */
  readonly searched: number;
  /** How many calls in a row have brought nothing. Unit: calls. */
  readonly misses: number;
}

export const STILL: Drift = { arrivals: 0, expected: 0, searched: 0, misses: 0 };

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
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  /** Ids known to lie before and after `items`, nearest first. */
  readonly before: readonly Neighbour[];
  readonly after: readonly Neighbour[];
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
    before: [],
    after: [],
  };
}

/** After this many calls that do not show where known items are, the list has changed too much to go on. */
const MAX_MISSES = 4;

export const endOf = <T>({ start, items }: Segment<T>): number => start + items.length;

/**
 * Appends what follows the last item of a segment in a later answer. If items have arrived in front of it meanwhile, the
 * answer may end before its last item: then only the position is corrected. Throws PageOutOfReachError if the list has
 * changed otherwise, because the items in between are unknown.
 */
export function joinAfter<T>(segment: Segment<T>, later: Segment<T>): Segment<T> {
  const { items, drift = STILL } = segment;
  const { arrivals, expected } = drift;
  const misses = drift.misses + 1;
  const shift = shiftOf(segment, later, items.length - 1);
  if (shift === null) {
    if (misses > MAX_MISSES || (expected === 0 && !later.hasMore)) throw listChanged();
    // Either fewer items arrived than before, or more than the answer holds.
    const searched = expected > 0 ? 0 : Math.max(0, endOf(later) - endOf(segment));
    return { ...segment, drift: { arrivals: 0, expected: 0, searched, misses } };
  }
  const end = endOf(segment) + shift;
  const fresh = later.items.slice(end - later.start);
  if (fresh.length === 0 && shift === 0 && later.hasMore) throw nothingNew();
  // As many items have arrived as are known, or the service answers every position with the head of the list.
  const isHead = shift !== 0 && items.length > 1 && beginsAlike(segment, later);
  if (isHead && misses > MAX_MISSES) throw listChanged();
  return {
    start: Math.max(0, segment.start + shift),
    items: [...items, ...fresh],
    hasMore: later.hasMore || end > endOf(later),
    drift: {
      arrivals: Math.max(0, shift),
      expected: Math.max(0, Math.min(arrivals, shift)),
      searched: 0,
      misses: isHead ? misses : 0,
    },
  };
}

/** Prepends what comes before the first item of a segment in an earlier one; null if that repeats none of its items. */
export function joinBefore<T>(
  earlier: Segment<T>,
  segment: Segment<T>,
): Segment<T> | null {
  const shift = shiftOf(segment, earlier, 0);
  if (shift === null) return null;
  const start = segment.start + shift;
  const front = earlier.items.slice(0, Math.max(0, start - earlier.start));
  const items = [...front, ...segment.items];
  return { ...segment, items, start: Math.max(0, start - front.length) };
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

/**
 * How far the items of a segment have moved on in another one; null if it holds none of them. The item at `anchor` is
 * where it was, or all are found by the first of them. Throws PageOutOfReachError if they are not in their order.
 */
function shiftOf<T>(
  segment: Segment<T>,
  { items, start }: Segment<T>,
  anchor: number,
): number | null {
  const own = segment.items[anchor]?.id;
  const expected = segment.start + anchor - start;
  if (items[expected]?.id === own) return 0;

  const indexes = new Map(segment.items.map(({ id }, index) => [id, index]));
  const at = items.findIndex(({ id }) => id !== null && indexes.has(id));
  const index = indexes.get(items[at]?.id ?? null);
  if (at === -1 || index === undefined) return null;
  const shift = start + at - (segment.start + index);
  const before = [items[at - 1], segment.items[index - 1]] as const;
  const found = items[expected + shift];
  if (before[0] && before[1] && before[0].id !== before[1].id) throw listChanged();
  if (found && found.id !== own) throw listChanged();
  return shift;
}
