import type { Cursor } from './cursor.ts';
import { locate, type Place, pageAfter, pageBefore, settledAt } from './locate.ts';
import { endOf, joinAfter, joinBefore, nothingNew, type Segment } from './segment.ts';
import type { PagingStrategy, Reader } from './strategy.ts';

/** Positions `from` to `to`, exclusive. */
export interface Positions {
  readonly from: number;
  readonly to: number;
}

/** Reads some positions with one call. The segment holds `from`; it may start earlier, and end earlier or later than `to`. */
export type ReadPositions = <T>(
  reader: Reader<T>,
  positions: Positions,
) => Promise<Segment<T>>;

/** A segment, and the place of the cursor in it. */
interface Located<T> {
  readonly segment: Segment<T>;
  readonly place: Place;
}

/** How far around its position to look for a cursor before the list is read from its head. Unit: items. */
const SEARCH_RADIUS = 50;

/**
 * The strategy for a service that counts positions. Every call repeats a known item: a different item at its position
 * means that the list has changed. One call a page while it has not, and one more for a page of `MAX_PAGE_SIZE`.
 */
export function byPosition(name: string, readPositions: ReadPositions): PagingStrategy {
  return {
    name,
    isOneCall: false,
    overlap: 1,

    async extend(reader, segment, wanted) {
      const { length } = segment.items;
      const positions = { from: Math.max(0, length - 1), to: wanted };
      const read = await readPositions(reader, positions);
      if (length > 0) return joinAfter(segment, read);
      if (read.items.length === 0 && read.hasMore) throw nothingNew();
      return read;
    },

    async readAfter(reader, cursor, size) {
      const { position } = cursor;
      const positions = { from: position, to: position + 1 + size };
      const found = await find(reader, cursor, { positions, side: 'after' });
      if (found === null) return null;
      const { segment, place } = found;
      const leftOut = segment.items.length - pageAfter(segment, place, size).items.length;
      const wanted = place.index + size + leftOut;
      return pageAfter(await lengthen(reader, segment, wanted), place, size);
    },

    async readBefore(reader, cursor, size) {
      const { position } = cursor;
      const positions = { from: Math.max(0, position - size), to: position + 1 };
      const found = await find(reader, cursor, { positions, side: 'before' });
      if (found === null) return null;
      const { segment, place } = await lengthenBack(reader, found, size);
      return pageBefore(segment, place, size);
    },
  };

  /** Looks for the cursor at its position, then around it; null if it is not there. */
  async function find<T>(
    reader: Reader<T>,
    cursor: Cursor,
    { positions, side }: { positions: Positions; side: 'after' | 'before' },
  ): Promise<Located<T> | null> {
    const { position } = cursor;
    const locateIn = ({ items, start }: Segment<T>) =>
      locate(items, { ...cursor, position: position - start }, side);

    const first = await readPositions(reader, positions);
    const segment = await lengthen(reader, first, positions.to - positions.from);
    const place = locateIn(segment);
    if (place?.by === 'own' && !place.isAlone) return { segment, place };

    const radius = Math.ceil(reader.limitFor(2 * SEARCH_RADIUS) / 2);
    const around = await readPositions(reader, {
      from: Math.max(0, position - radius),
      to: position + radius,
    });
    const found = locateIn(around);
    return found && isSettled(found, around) ? { segment: around, place: found } : null;
  }

  /** Reads on to at least `wanted` items, or to the end of the list. */
  async function lengthen<T>(
    reader: Reader<T>,
    segment: Segment<T>,
    wanted: number,
  ): Promise<Segment<T>> {
    let longer = segment;
    while (longer.items.length < wanted && longer.hasMore && longer.items.length > 0) {
      const positions = { from: endOf(longer) - 1, to: longer.start + wanted };
      longer = joinAfter(longer, await readPositions(reader, positions));
    }
    return longer;
  }

  /** Reads back to at least `size` items before the place, or to the head of the list. */
  async function lengthenBack<T>(
    reader: Reader<T>,
    { segment, place }: Located<T>,
    size: number,
  ): Promise<Located<T>> {
    let longer = segment;
    let { index } = place;
    while (index < size && longer.start > 0) {
      const from = Math.max(0, longer.start - (size - index));
      const to = longer.start + 1;
      const first = await readPositions(reader, { from, to });
      const joined = joinBefore(await lengthen(reader, first, to - from), longer);
      index += joined.items.length - longer.items.length;
      longer = joined;
    }
    return { segment: longer, place: { ...place, index } };
  }
}

/** Whether the cursor's own item, if it still exists, would be among these. Only the items of the segment are known. */
function isSettled<T>(place: Place, { items, start, hasMore }: Segment<T>): boolean {
  if (place.by === 'successor') return start === 0;
  return place.by !== 'predecessor' || !hasMore || settledAt(place) <= items.length;
}
