import { SAFE_LIMIT } from './known-limits.ts';
import { locate, type Place, settledAt } from './locate.ts';
import { isEmpty, longerThan, MAX_EMPTY } from './next.ts';
import { countPassed, takeAfter, takeBefore } from './page-slice.ts';
import type { Reader } from './reader.ts';
import {
  endOf,
  joinAfter,
  joinBefore,
  listChanged,
  nothingNew,
  type Segment,
  STILL,
} from './segment.ts';
import type { CursorPage, PagingStrategy } from './strategy.ts';

/** Positions `from` to `to`, exclusive. */
export interface Positions {
  readonly from: number;
  readonly to: number;
  /** The longest page to ask for. */
  readonly longest: number;
}

/** Reads positions with one call. The segment contains `from`, but may start before it, and end before or after `to`. */
type ReadPositions = <T>(reader: Reader<T>, at: Positions) => Promise<Segment<T>>;

/** A segment, and the place of the cursor in it. */
interface Located<T> {
  readonly segment: Segment<T>;
  readonly place: Place;
}

/** The longest page to ask for where the service leaves out many items in a row. */
const LONGEST = 10_000;
/** How far from its position a cursor is searched for, before the list is read from its head. Unit: items. */
const SEARCH_RADIUS = 50;
/** How many more spans to search further on, where arriving items push the cursor. Unit: calls. */
const MAX_FURTHER = 3;

/**
 * Pages by position; `name` is the value of PAGING. Every call repeats a known item: a different item at its position means
 * that the list has changed. If it has not, a page takes one call, and a page of `MAX_PAGE_SIZE` one more.
 */
export function byPosition(name: string, readPositions: ReadPositions): PagingStrategy {
  return {
    name,
    isOneCall: false,
    overlap: 1,

    async extend(reader, segment, wanted) {
      if (segment.items.length > 0) return readOn(reader, segment, wanted, true);
      const read = await readFrom(reader, 0, wanted);
      if (read.items.length === 0 && read.hasMore) throw nothingNew();
      return read;
    },

    async readAtCursor(reader, page) {
      const { size, isForward } = page;
      const found = await find(reader, page);
      if (found === null) return null;
      if (!isForward) {
        const { segment, place } = await lengthenBack(reader, found, size);
        return takeBefore(segment, place, size);
      }
      const { segment, place } = found;
      let longer = segment;
      for (;;) {
        const page = takeAfter(longer, place, size);
        const wanted = place.index + size + (page.leftOut?.length ?? 0) + reader.ahead;
        if (longer.items.length >= wanted || !longer.hasMore) return page;
        longer = await lengthen(reader, longer, wanted);
      }
    },
  };

  /** Looks for the cursor at its position, then around it; null if it is not there. */
  async function find<T>(
    reader: Reader<T>,
    { cursor, size, isForward }: CursorPage,
  ): Promise<Located<T> | null> {
    const { position, head } = cursor;
    const expected = isForward
      ? { from: position, to: position + 1 + size + reader.ahead }
      : { from: Math.max(0, position - size), to: position + 1 };
    const side = isForward ? 'after' : 'before';
    // A service that ignores the parameter returns the head of the list, in which the cursor may be found too.
    const isHead = ({ items, start }: Segment<T>) =>
      start > 0 && head !== null && items[0]?.id === head;
    const locateIn = ({ items, start }: Segment<T>) =>
      locate(items, { ...cursor, position: position - start }, side);

    const first = await readFrom(reader, expected.from, expected.to);
    if (isHead(first)) return null;
    const segment = await lengthen(reader, first, expected.to - expected.from);
    const place = locateIn(segment);
    if (place?.by === 'own' && !place.isAlone) return { segment, place };

    const { start, shift = STILL } = segment;
    const middle = position + (start - first.start) + shift.arrivals;
    const radius = Math.ceil(reader.limitFor(2 * SEARCH_RADIUS) / 2);
    // Reading the list from its head takes no more calls than that.
    const most = Math.min(MAX_FURTHER, Math.floor(position / (2 * radius)));
    for (let further = 0; further <= most; further += 1) {
      const from = middle - radius + 2 * radius * further;
      const to = from + 2 * radius;
      const around = await readFrom(reader, Math.max(0, from), to);
      const found = isHead(around) ? null : locateIn(around);
      if (found && isSettled(found, around)) return { segment: around, place: found };
      if (found || !around.hasMore) break;
    }
    return null;
  }

  /** Reads positions, and more of them while the answer is empty although the list has more. */
  async function readFrom<T>(
    reader: Reader<T>,
    from: number,
    to: number,
  ): Promise<Segment<T>> {
    let read = await readPositions(reader, { from, to, longest: reader.maxPageSize });
    let length = to - from;
    for (let empty = 0; empty < MAX_EMPTY && isEmpty(read); empty += 1) {
      length = longerThan(length);
      read = await readPositions(reader, { from, to: from + length, longest: LONGEST });
    }
    return read;
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

  /** Reads on with one call from where the last item should be, if as many items arrived as last time. */
  async function readOn<T>(
    reader: Reader<T>,
    segment: Segment<T>,
    wanted: number,
    isFromHead = false,
  ): Promise<Segment<T>> {
    const { items, shift = STILL, short = 0 } = segment;
    const { arrivals, expected, searched, misses } = shift;
    const from = endOf(segment) - 1 + expected + searched;
    // If the service has left some out, the last item is further on, by as many positions at most.
    const to = from + 1 + (wanted - items.length) + arrivals + 2 * short;
    const positions =
      misses > 0 && short === 0
        ? { from, to: Number.POSITIVE_INFINITY, longest: reader.maxPageSize }
        : { from, to, longest: short > 0 ? LONGEST : reader.maxPageSize };
    return joinAfter(segment, await readPositions(reader, positions), isFromHead);
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
      size +
      reader.ahead -
      index +
      countPassed(longer.items.slice(0, index), place.passed);
    /** How much further back to begin, because the last answer brought nothing. */
    let further = 0;
    while (missing() > 0 && longer.start > 0) {
      const { start, short = 0 } = longer;
      const from = Math.max(0, start - missing() - Math.max(short, further));
      const to = start + 1 + short;
      let earlier = await readFrom(reader, from, to);
      let joined = joinBefore(earlier, longer);
      // The answer was cut, or items arrived in front of these, fewer than one call returns.
      const furthest = to - from + reader.limitFor(reader.maxPageSize);
      while (joined === null && earlier.hasMore && earlier.items.length < furthest) {
        earlier = await readOn(reader, earlier, furthest);
        joined = joinBefore(earlier, longer);
      }
      if (joined === null) throw listChanged();
      const fresh = joined.items.length - longer.items.length;
      further = fresh > 0 ? 0 : 2 * further + SAFE_LIMIT;
      index += fresh;
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
