import type { Item } from '../rest/page.ts';
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
 * Two ranges as one: the later begins with, or holds, the last item of the earlier. Where it does not, the list has shifted
 * between the two calls, and what lay between cannot be known; throws PageOutOfReachError.
 */
export function join<T>(earlier: Range<T>, later: Range<T>): Range<T> {
  if (later.items.length === 0) return { ...earlier, hasMore: later.hasMore };
  const last = earlier.items.at(-1);
  const expected = endOf(earlier) - 1 - later.start;
  const isThere = later.items[expected]?.id === last?.id;
  const overlap = isThere
    ? expected
    : later.items.findLastIndex(({ id }) => id === last?.id);
  if (overlap === -1) {
    throw new PageOutOfReachError(
      'The list has shifted while it was read, or the service does not count as PAGING says: ask again, or set PAGING.',
    );
  }
  const fresh = later.items.slice(overlap + 1);
  return {
    items: [...earlier.items, ...fresh],
    start: earlier.start,
    hasMore: later.hasMore,
  };
}
