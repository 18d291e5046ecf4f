import type { Item } from '../rest/list.ts';
import { PageOutOfReachError } from './errors.ts';
import type { Reader } from './strategy.ts';

/** The items that stood at some positions when they were asked for. */
export interface Range<T> {
  readonly items: readonly Item<T>[];
  /** The position of the first of them. */
  readonly start: number;
  /** Whether the service has items behind these. */
  readonly hasMore: boolean;
}

/** Positions `from` to `to`, exclusive. */
export interface Positions {
  readonly from: number;
  readonly to: number;
}

/** Asks for some positions, with one call if it can; it may begin earlier, and end earlier or later, but holds `from`. */
export type ReadRange = <T>(reader: Reader<T>, positions: Positions) => Promise<Range<T>>;

export const endOf = <T>({ start, items }: Range<T>): number => start + items.length;

/**
 * A range and what was asked for behind it, which holds the last item of the first. Where it does not, the list has
 * shifted between the two calls, and what lay between cannot be known; throws PageOutOfReachError.
 */
export function joinAfter<T>(range: Range<T>, later: Range<T>): Range<T> {
  const shared = placeOf(range.items.at(-1), later, endOf(range) - 1);
  const fresh = later.items.slice(shared + 1);
  if (fresh.length === 0 && later.hasMore) throw nothingNew();
  return {
    items: [...range.items, ...fresh],
    start: range.start,
    hasMore: later.hasMore,
  };
}

/** The service says there is more, and gives nothing. */
export const nothingNew = () =>
  new PageOutOfReachError(
    'The service says there is more but gives nothing new: set PAGING or PAGING_PARAM to what it pages by.',
  );

/** The same with what was asked for in front of a range, which holds the first item of it. */
export function joinBefore<T>(earlier: Range<T>, range: Range<T>): Range<T> {
  const shared = placeOf(range.items[0], earlier, range.start);
  return {
    ...range,
    items: [...earlier.items.slice(0, shared), ...range.items],
    start: earlier.start,
  };
}

/** The index of an item in a range, first looked for at the position it had; one without an id counts there alone. */
function placeOf<T>(
  item: Item<T> | undefined,
  { items, start }: Range<T>,
  position: number,
): number {
  if (items[position - start]?.id === item?.id) return position - start;
  const index = item?.id == null ? -1 : items.findLastIndex(({ id }) => id === item.id);
  if (index !== -1) return index;
  throw new PageOutOfReachError(
    'The list has shifted while it was read, or the service does not count as PAGING says: ask again, or set PAGING.',
  );
}
