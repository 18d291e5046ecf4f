import type { Item, Page } from '../rest/list.ts';
import type { Neighbour } from './cursor.ts';
import { PageOutOfReachError } from './errors.ts';

/** Consecutive items of a list in the service's order, joined from one or more calls. */
export interface Segment<T> extends Page<T> {
  /** The position of the first item; the head of the list is 0. */
  readonly start: number;
}

/** A page, and the known items around it. */
export interface PageSlice<T> {
  readonly items: readonly Item<T>[];
  /** The position of the first of `items`, as far as known. */
  readonly start: number;
  /** The page is `items.slice(from, to)`. */
  readonly from: number;
  readonly to: number;
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

/** Leaves out items that were passed before, but keeps the first `from` items. */
export const withoutPassed = <T>(
  items: readonly Item<T>[],
  passed: ReadonlySet<Neighbour>,
  from = 0,
): readonly Item<T>[] =>
  items.filter(({ id }, index) => index < from || id === null || !passed.has(id));

export const endOf = <T>({ start, items }: Segment<T>): number => start + items.length;

/**
 * Appends a segment that repeats the last item of the first one. Throws PageOutOfReachError if it does not: then the
 * list changed between the two calls, and the items in between are unknown.
 */
export function joinAfter<T>(segment: Segment<T>, later: Segment<T>): Segment<T> {
  const shared = indexIn(later, segment.items.at(-1), endOf(segment) - 1);
  const fresh = later.items.slice(shared + 1);
  if (fresh.length === 0 && later.hasMore) throw nothingNew();
  return { ...later, items: [...segment.items, ...fresh], start: segment.start };
}

/** Prepends a segment that repeats the first item of the other; throws like `joinAfter`. */
export function joinBefore<T>(earlier: Segment<T>, segment: Segment<T>): Segment<T> {
  const shared = indexIn(earlier, segment.items[0], segment.start);
  const items = [...earlier.items.slice(0, shared), ...segment.items];
  return { ...segment, items, start: earlier.start };
}

export const nothingNew = () =>
  new PageOutOfReachError(
    'The service reports more items but returns no new ones. Set PAGING or PAGING_PARAM to the way the service pages.',
  );

/** Finds an item by its old position, then by its id. An item without an id is found by position only. */
function indexIn<T>(
  { items, start }: Segment<T>,
  item: Item<T> | undefined,
  position: number,
): number {
  if (items[position - start]?.id === item?.id) return position - start;
  const index = item?.id == null ? -1 : items.findLastIndex(({ id }) => id === item.id);
  if (index !== -1) return index;
  throw new PageOutOfReachError(
    'The list changed while it was read, or the service does not page as PAGING says. To continue, ask again or change PAGING.',
  );
}
