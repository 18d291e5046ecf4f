import type { Cursor } from './cursor.ts';
import { locate, type Place, settledAt } from './locate.ts';
import { countPassed, takeAfter, takeBefore } from './page-slice.ts';
import {
  endOf,
  joinAfter,
  joinBefore,
  listChanged,
  nothingNew,
  type Segment,
  STILL,
} from './segment.ts';
import type { PagingStrategy, Reader } from './strategy.ts';

/** Positions `from` to `to`, exclusive. */
export interface Positions {
  readonly from: number;
  readonly to: number;
}

/** Reads positions with one call. The segment contains `from`, but may start before it, and end before or after `to`. */
export type ReadPositions = <T>(
  reader: Reader<T>,
  positions: Positions,
) => Promise<Segment<T>>;

/** A segment, and the place of the cursor in it. */
interface Located<T> {
  readonly segment: Segment<T>;
  readonly place: Place;
}

interface ByPositionOptions {
  /** The value of the PAGING setting. */
  readonly name: string;
  /** The longest page to ask for. */
  readonly maxPageSize: number;
}

/** How far from its position a cursor is searched for, before the list is read from its head. Unit: items. */
const SEARCH_RADIUS = 50;
/** How many times to look as far again further on, where items that arrive push the cursor. Unit: calls. */
const MAX_FURTHER = 3;

/**
 * The strategy for a service that pages by position. Every call repeats a known item: a different item at its position
 * means that the list has changed. If it has not, a page takes one call, and a page of `MAX_PAGE_SIZE` one more.
 */
export function byPosition(
  { name, maxPageSize }: ByPositionOptions,
  readPositions: ReadPositions,
): PagingStrategy {
  return {
    name,
    isOneCall: false,
    overlap: 1,

    async extend(reader, segment, wanted) {
      if (segment.items.length > 0) return readOn(reader, segment, wanted);
      const read = await readPositions(reader, { from: 0, to: wanted });
      if (read.items.length === 0 && read.hasMore) throw nothingNew();
      return read;
    },

    async readAfter(reader, cursor, size) {
      const { position } = cursor;
      const positions = { from: position, to: position + 1 + size };
      const found = await find(reader, cursor, { positions, side: 'after' });
      if (found === null) return null;
      const { segment, place } = found;
      let longer = segment;
      for (;;) {
        const page = takeAfter(longer, place, size);
        const wanted = place.index + size + (page.leftOut?.length ?? 0);
        if (longer.items.length >= wanted || !longer.hasMore) return page;
        longer = await lengthen(reader, longer, wanted);
      }
    },

    async readBefore(reader, cursor, size) {
      const { position } = cursor;
      const positions = { from: Math.max(0, position - size), to: position + 1 };
      const found = await find(reader, cursor, { positions, side: 'before' });
      if (found === null) return null;
      const { segment, place } = await lengthenBack(reader, found, size);
      return takeBefore(segment, place, size);
    },
  };

  /** Looks for the cursor at its position, then around it; null if it is not there. */
  async function find<T>(
    reader: Reader<T>,
    cursor: Cursor,
    { positions, side }: { positions: Positions; side: 'after' | 'before' },
  ): Promise<Located<T> | null> {
    const { position, head } = cursor;
    // A service that ignores the parameter returns the head of the list, in which the cursor may be found too.
    const isHead = ({ items, start }: Segment<T>) =>
      start > 0 && head !== null && items[0]?.id === head;
    const locateIn = ({ items, start }: Segment<T>) =>
      locate(items, { ...cursor, position: position - start }, side);

    const first = await readPositions(reader, positions);
    if (isHead(first)) return null;
    const segment = await lengthen(reader, first, positions.to - positions.from);
    const place = locateIn(segment);
    if (place?.by === 'own' && !place.isAlone) return { segment, place };

    const { start, drift = STILL } = segment;
    const middle = position + (start - first.start) + drift.arrivals;
    const radius = Math.ceil(reader.limitFor(2 * SEARCH_RADIUS) / 2);
    // Reading the list from its head is better than looking further on in vain as often.
    const most = Math.min(MAX_FURTHER, Math.floor(position / (2 * radius)));
    for (let further = 0; further <= most; further += 1) {
      const from = middle - radius + 2 * radius * further;
      const to = from + 2 * radius;
      const around = await readPositions(reader, { from: Math.max(0, from), to });
      const found = isHead(around) ? null : locateIn(around);
      if (found && isSettled(found, around)) return { segment: around, place: found };
      if (found || !around.hasMore) break;
    }
    return null;
  }

  /** Reads on to at least `wanted` items, or to the end of the list. */
  async function lengthen<T>(
    reader: Reader<T>,
    segment: Segment<T>,
    wanted: number,
  ): Promise<Segment<T>> {
    let longer = segment;
    while (longer.items.length < wanted && longer.hasMore && longer.items.length > 0) {
      longer = await readOn(reader, longer, wanted);
    }
    return longer;
  }

  /** Reads on with one call, from where the last item is expected: as many may arrive in front of it as before. */
  async function readOn<T>(
    reader: Reader<T>,
    segment: Segment<T>,
    wanted: number,
  ): Promise<Segment<T>> {
    const { items, drift = STILL } = segment;
    const { arrivals, expected, searched, misses } = drift;
    const from = endOf(segment) - 1 + expected + searched;
    const to = from + 1 + (wanted - items.length) + arrivals;
    const positions = { from, to: misses > 0 ? Number.POSITIVE_INFINITY : to };
    return joinAfter(segment, await readPositions(reader, positions));
  }

  /** Reads back to at least `size` items before the place, or to the head of the list. */
  async function lengthenBack<T>(
    reader: Reader<T>,
    { segment, place }: Located<T>,
    size: number,
  ): Promise<Located<T>> {
    let longer = segment;
    let { index } = place;
    const missing = () =>
      size - index + countPassed(longer.items.slice(0, index), place.passed);
    while (missing() > 0 && longer.start > 0) {
      const from = Math.max(0, longer.start - missing());
      const to = longer.start + 1;
      const first = await readPositions(reader, { from, to });
      let earlier = await lengthen(reader, first, to - from);
      let joined = joinBefore(earlier, longer);
      // Items arrived in front of these, fewer than one call returns.
      const furthest = earlier.items.length + reader.limitFor(maxPageSize);
      while (joined === null && earlier.hasMore && earlier.items.length < furthest) {
        earlier = await readOn(reader, earlier, furthest);
        joined = joinBefore(earlier, longer);
      }
      if (joined === null) throw listChanged();
      index += joined.items.length - longer.items.length;
      // Items that arrived in front of the head since it was read are left out.
      longer = from === 0 ? { ...joined, start: 0 } : joined;
    }
    return { segment: longer, place: { ...place, index } };
  }
}

/** Whether the segment would contain the cursor's own item if it still existed. Otherwise, it may be outside the segment. */
function isSettled<T>(place: Place, { items, start, hasMore }: Segment<T>): boolean {
  if (place.by === 'successor') return start === 0;
  return place.by !== 'predecessor' || !hasMore || settledAt(place) <= items.length;
}
