import { type Cursor, NEIGHBOURS } from './cursor.ts';
import { PageOutOfReachError } from './errors.ts';
import { placeBefore, placeBehind } from './place.ts';
import type { PagingStrategy, Reader, Slice, Stretch } from './strategy.ts';

interface Reading<T> {
  readonly strategy: PagingStrategy;
  readonly reader: Reader<T>;
  readonly size: number;
  /** Null: from the head of the list, or from its end. */
  readonly cursor: Cursor | null;
}

/** How many items a walk to the end asks for first; it doubles what it has each time. */
const FIRST_WALK = 100;

/** The page behind the cursor, found by reading the list from its head. */
export function forwardFromHead<T>(reading: Reading<T>): Promise<Slice<T>> {
  const { cursor, size } = reading;
  const wanted = (cursor === null ? 0 : cursor.position + 1) + size;
  return readUntil(reading, wanted, (stretch) => {
    const { items, hasMore, ended } = stretch;
    const from = cursor === null ? 0 : placeBehind(items, cursor)?.index;
    if (from === undefined) return lookFurther(stretch);
    const to = from + size;
    if (items.length >= to || !hasMore) return cut(stretch, from, to);
    return ended === null ? to : outOfReach(ended);
  });
}

/** The page in front of the cursor, found by reading the list from its head; without a cursor, from there to its end. */
export function backwardFromHead<T>(reading: Reading<T>): Promise<Slice<T>> {
  const { cursor, size } = reading;
  const wanted = cursor === null ? Math.max(size, FIRST_WALK) : cursor.position + 1;
  return readUntil(reading, wanted, (stretch) => {
    const { items, hasMore, ended } = stretch;
    if (cursor === null) {
      return hasMore
        ? lookFurther(stretch)
        : cut(stretch, items.length - size, items.length);
    }
    const place = placeBefore(items, cursor);
    if (place === null) return lookFurther(stretch);
    // Should the cursor's own item be alive, it stands within a neighbourhood of its predecessors.
    const settled = place.index + NEIGHBOURS;
    if (!place.certain && hasMore && ended === null && items.length < settled)
      return settled;
    return cut(stretch, place.index - size, place.index);
  });
}

/** Reads on until `decide` returns the page instead of how many items it wants. */
async function readUntil<T>(
  { strategy, reader }: Reading<T>,
  firstWanted: number,
  decide: (stretch: Stretch<T>) => Slice<T> | number,
): Promise<Slice<T>> {
  let stretch: Stretch<T> = { items: [], hasMore: true, ended: null };
  let wanted = firstWanted;
  for (;;) {
    stretch = await strategy.extend(reader, stretch, wanted);
    const decision = decide(stretch);
    if (typeof decision === 'object') return decision;
    wanted = decision;
  }
}

/** How many items to ask for when what is looked for is not among these. */
function lookFurther<T>(stretch: Stretch<T>): Slice<T> | number {
  const { items, hasMore, ended } = stretch;
  // A list that has been emptied holds nothing before or behind any cursor.
  if (items.length === 0 && !hasMore) return cut(stretch, 0, 0);
  if (!hasMore) {
    throw new PageOutOfReachError(
      "The cursor's item and all the neighbours it remembers are gone: begin the list again.",
    );
  }
  return ended === null ? Math.max(FIRST_WALK, items.length * 2) : outOfReach(ended);
}

function outOfReach(why: string): never {
  throw new PageOutOfReachError(`This page is out of reach: ${why}.`);
}

function cut<T>({ items, hasMore }: Stretch<T>, from: number, to: number): Slice<T> {
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
