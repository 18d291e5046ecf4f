import type { Cursor } from './cursor.ts';
import {
  leaveOutBefore,
  leaveOutBehind,
  MAX_INSERTED,
  type Place,
  placeBefore,
  placeBehind,
} from './locate.ts';
import {
  endOf,
  joinAfter,
  joinBefore,
  nothingNew,
  type Positions,
  type Range,
  type ReadRange,
} from './segment.ts';
import type { PageSlice, PagingStrategy, Reader } from './strategy.ts';

/** A range, and the place of the cursor in it. */
interface Found<T> {
  readonly range: Range<T>;
  readonly place: Place;
}

type FindPlace = <T>(items: Range<T>['items'], cursor: Cursor) => Place | null;

/** How far around its position a cursor is looked for before the list is read from its head. Unit: items. */
const SEARCH_RADIUS = 50;

/**
 * The strategy for a service that counts: asked for positions, it gives what stands there now. So every call begins
 * with an item that is known already, and where another stands in its place the list has shifted. One call a page, as
 * long as it has not, and one more for a page of `MAX_PAGE_SIZE`.
 */
export function positional(name: string, readRange: ReadRange): PagingStrategy {
  return {
    name,
    isOneCall: false,
    overlap: 1,

    async extend(reader, { items, hasMore, stuckBecause }, wanted) {
      const range = await readRange(reader, {
        from: Math.max(0, items.length - 1),
        to: wanted,
      });
      if (items.length === 0) {
        if (range.items.length === 0 && range.hasMore) throw nothingNew();
        return { ...range, stuckBecause };
      }
      const whole = joinAfter({ items, start: 0, hasMore }, range);
      return { items: whole.items, hasMore: whole.hasMore, stuckBecause };
    },

    async seekAfter(reader, cursor, size) {
      const { position } = cursor;
      const found = await find(reader, cursor, {
        positions: { from: position, to: position + 1 + size },
        place: placeBehind,
      });
      if (found === null) return null;
      const { place } = found;
      const leftOut = countLeftOut(found);
      const range = await lengthen(reader, found.range, place.index + size + leftOut);
      const items = leaveOutBehind(range.items, place);
      return toSlice({ ...range, items }, place.index, place.index + size);
    },

    async seekBefore(reader, cursor, size) {
      const { position } = cursor;
      const found = await find(reader, cursor, {
        positions: { from: Math.max(0, position - size), to: position + 1 },
        place: placeBefore,
      });
      if (found === null) return null;
      const { range, place } = await lengthenBack(reader, found, size);
      const { items, index } = leaveOutBefore(range.items, place);
      return toSlice({ ...range, items }, index - size, index);
    },
  };

  /** Looks for the cursor where it was, then around there; null if it is not to be found. */
  async function find<T>(
    reader: Reader<T>,
    cursor: Cursor,
    { positions, place }: { positions: Positions; place: FindPlace },
  ): Promise<Found<T> | null> {
    const placeIn = ({ items, start }: Range<T>) =>
      place(items, { ...cursor, position: cursor.position - start });
    const range = await lengthen(
      reader,
      await readRange(reader, positions),
      positions.to - positions.from,
    );
    const near = placeIn(range);
    if (near?.by === 'own' && !near.isAlone) return { range, place: near };

    const { position } = cursor;
    const radius = Math.min(SEARCH_RADIUS, Math.ceil(reader.longest / 2));
    const around = await readRange(reader, {
      from: Math.max(0, position - radius),
      to: position + radius,
    });
    const found = placeIn(around);
    return found !== null && isSettled(found, around)
      ? { range: around, place: found }
      : null;
  }

  /** At least `wanted` items, unless the list ends. */
  async function lengthen<T>(
    reader: Reader<T>,
    range: Range<T>,
    wanted: number,
  ): Promise<Range<T>> {
    let longer = range;
    while (longer.items.length < wanted && longer.hasMore && longer.items.length > 0) {
      const next = { from: endOf(longer) - 1, to: longer.start + wanted };
      longer = joinAfter(longer, await readRange(reader, next));
    }
    return longer;
  }

  /** At least `size` items in front of the place, unless the list begins. */
  async function lengthenBack<T>(
    reader: Reader<T>,
    found: Found<T>,
    size: number,
  ): Promise<Found<T>> {
    let { range, place } = found;
    while (place.index < size && range.start > 0) {
      const from = Math.max(0, range.start - (size - place.index));
      const earlier = await lengthen(
        reader,
        await readRange(reader, { from, to: range.start + 1 }),
        range.start + 1 - from,
      );
      const whole = joinBefore(earlier, range);
      place = { ...place, index: place.index + whole.items.length - range.items.length };
      range = whole;
    }
    return { range, place };
  }
}

const countLeftOut = <T>({ range: { items }, place }: Found<T>): number =>
  items.length - leaveOutBehind(items, place).length;

/** Whether the cursor's own item, if it is alive, would be among these: what is outside them is not known. */
function isSettled<T>(
  { index, by }: Place,
  { items, start, hasMore }: Range<T>,
): boolean {
  if (by === 'successor') return start === 0;
  return by !== 'predecessor' || !hasMore || index + MAX_INSERTED <= items.length;
}

function toSlice<T>(
  { items, start, hasMore }: Range<T>,
  from: number,
  to: number,
): PageSlice<T> {
  const begin = Math.max(0, from);
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
