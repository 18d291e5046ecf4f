import type { Cursor } from './cursor.ts';
import { PageOutOfReachError } from './errors.ts';
import {
  leaveOutBefore,
  leaveOutBehind,
  MAX_INSERTED,
  type Place,
  placeBefore,
  placeBehind,
} from './locate.ts';
import type { PageSlice, PagingStrategy, Reader, Segment } from './strategy.ts';

interface Reading<T> {
  readonly strategy: PagingStrategy;
  readonly reader: Reader<T>;
  readonly size: number;
  /** Null: from the head of the list, or from its end. */
  readonly cursor: Cursor | null;
  readonly maxPageSize: number;
}

const HEAD: Place = { index: 0, by: 'own', isAlone: false, passed: new Set() };

/** How many items must be there for a place to count. */
const settledAt = ({ index, by }: Place): number =>
  by === 'predecessor' ? index + MAX_INSERTED : index;

/** How many items a walk to the end asks for first, if a page may be so long; it doubles what it has each time. */
const FIRST_WALK = 100;

/** The page behind the cursor, found by reading the list from its head. */
export function forwardFromHead<T>(reading: Reading<T>): Promise<PageSlice<T>> {
  const { cursor, size } = reading;
  const wanted = (cursor === null ? 0 : cursor.position + 1) + size;
  return readUntil(reading, wanted, (segment) => {
    const place = cursor === null ? HEAD : placeBehind(segment.items, cursor);
    if (place === null) return lookFurther(segment);
    const to = place.index + size;
    const items = leaveOutBehind(segment.items, place);
    const needed = Math.max(to + segment.items.length - items.length, settledAt(place));
    return needsMore(segment, needed) ?? cut({ ...segment, items }, place.index, to);
  });
}

/** The page in front of the cursor, found by reading the list from its head; without a cursor, from there to its end. */
export function backwardFromHead<T>(reading: Reading<T>): Promise<PageSlice<T>> {
  const { cursor, size, maxPageSize } = reading;
  const firstWalk = Math.max(size, Math.min(FIRST_WALK, maxPageSize));
  const wanted = cursor === null ? firstWalk : cursor.position + 1;
  return readUntil(reading, wanted, (segment) => {
    const { items, hasMore } = segment;
    if (cursor === null) {
      return hasMore
        ? lookFurther(segment)
        : cut(segment, items.length - size, items.length);
    }
    const place = placeBefore(items, cursor);
    if (place === null) return lookFurther(segment);
    const left = leaveOutBefore(items, place);
    return (
      needsMore(segment, settledAt(place)) ??
      cut({ ...segment, items: left.items }, left.index - size, left.index)
    );
  });
}

/** How many items are needed and not there; null if those that are there will do. */
function needsMore<T>(
  { items, hasMore, stuckBecause }: Segment<T>,
  needed: number,
): number | null {
  if (items.length >= needed || !hasMore) return null;
  return stuckBecause === null ? needed : outOfReach(stuckBecause);
}

/** Reads on until `decide` returns the page instead of how many items it wants. */
async function readUntil<T>(
  { strategy, reader }: Reading<T>,
  firstWanted: number,
  decide: (segment: Segment<T>) => PageSlice<T> | number,
): Promise<PageSlice<T>> {
  let segment: Segment<T> = { items: [], hasMore: true, stuckBecause: null };
  let wanted = firstWanted;
  for (;;) {
    segment = await strategy.extend(reader, segment, wanted);
    const decision = decide(segment);
    if (typeof decision === 'object') return decision;
    wanted = decision;
  }
}

/** How many items to ask for when what is looked for is not among these. */
function lookFurther<T>(segment: Segment<T>): PageSlice<T> | number {
  const { items, hasMore, stuckBecause } = segment;
  // A list that has been emptied holds nothing before or behind any cursor.
  if (items.length === 0 && !hasMore) return cut(segment, 0, 0);
  if (!hasMore) {
    throw new PageOutOfReachError(
      "The cursor's item and all the neighbours it remembers are gone: begin the list again.",
    );
  }
  return stuckBecause === null
    ? Math.max(FIRST_WALK, items.length * 2)
    : outOfReach(stuckBecause);
}

function outOfReach(why: string): never {
  throw new PageOutOfReachError(`This page is out of reach: ${why}.`);
}

function cut<T>({ items, hasMore }: Segment<T>, from: number, to: number): PageSlice<T> {
  const start = Math.min(Math.max(0, from), items.length);
  const end = Math.min(to, items.length);
  return {
    items,
    start: 0,
    from: start,
    to: end,
    hasPrevious: start > 0,
    hasNext: end < items.length || hasMore,
    before: [],
    after: [],
  };
}
