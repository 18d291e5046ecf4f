import type { Item } from '../rest/page.ts';
import type { Cursor, Neighbour } from './cursor.ts';

/** Where a cursor lies among items: in front of `index`. */
export interface Place {
  readonly index: number;
  /** What it was found by: the cursor's own item, or which of its remembered neighbours. */
  readonly by: 'own' | 'both' | 'predecessor' | 'successor';
}

/**
 * A place found by predecessors alone is in doubt: the cursor's own item may live on behind items that were added in
 * between. So many items further it is taken to be gone.
 */
export const DOUBT = 20;

type Indexes = ReadonlyMap<Neighbour, number>;

/** The place right behind the cursor's item, or behind what is left of its neighbourhood; null if nothing is. */
export function placeBehind<T>(items: readonly Item<T>[], cursor: Cursor): Place | null {
  const indexes = toIndexes(items, cursor);
  const own = ownIndex(items, indexes, cursor);
  if (own !== null) return { index: own + 1, by: 'own' };
  // The nearest predecessor still there: what stands behind it now is new, or comes after the deleted item.
  return fromNeighbours(indexes, cursor, 'predecessor');
}

/** The place right in front of the cursor's item, or of what is left of its neighbourhood; null if nothing is. */
export function placeBefore<T>(items: readonly Item<T>[], cursor: Cursor): Place | null {
  const indexes = toIndexes(items, cursor);
  const own = ownIndex(items, indexes, cursor);
  if (own !== null) return { index: own, by: 'own' };
  return fromNeighbours(indexes, cursor, 'successor');
}

/** The nearest neighbour with an id that `indexes` holds, and how many items without an id lie between. */
function nearest(
  neighbours: readonly Neighbour[],
  indexes: Indexes,
): { index: number; withoutId: number } | null {
  let withoutId = 0;
  for (const id of neighbours) {
    const index = id === null ? undefined : indexes.get(id);
    if (index !== undefined) return { index, withoutId };
    if (id === null) withoutId += 1;
  }
  return null;
}

/** An item without an id is found by its neighbours, or, if none of them has one, by its position. */
function ownIndex<T>(
  items: readonly Item<T>[],
  indexes: Indexes,
  cursor: Cursor,
): number | null {
  if (cursor.id !== null) return indexes.get(cursor.id) ?? null;
  const before = nearest(cursor.before, indexes);
  if (before !== null) return before.index + before.withoutId + 1;
  const after = nearest(cursor.after, indexes);
  if (after !== null) return Math.max(0, after.index - after.withoutId - 1);
  const neighbours = [...cursor.before, ...cursor.after];
  const isThere =
    items[cursor.position]?.id === null && neighbours.every((id) => id === null);
  return isThere ? cursor.position : null;
}

/** Beside the neighbour with the fewest items without an id between, for those may be gone too; else the preferred one. */
function fromNeighbours(
  indexes: Indexes,
  cursor: Cursor,
  preferred: 'predecessor' | 'successor',
): Place | null {
  const before = nearest(cursor.before, indexes);
  const after = nearest(cursor.after, indexes);
  if (before === null && after === null) return null;
  const by = before === null ? 'successor' : after === null ? 'predecessor' : 'both';
  const difference = (before?.withoutId ?? 0) - (after?.withoutId ?? 0);
  const isPredecessor =
    by === 'both'
      ? difference < 0 || (difference === 0 && preferred === 'predecessor')
      : by === 'predecessor';
  const index = isPredecessor
    ? (before?.index ?? 0) + (before?.withoutId ?? 0) + 1
    : (after?.index ?? 0) - (after?.withoutId ?? 0);
  return { index: Math.max(0, index), by };
}

/**
 * Where each item stands. What stands in front of the item that was the head when the cursor was made has been moved
 * there, as conversations are by activity: it no longer marks the place it was remembered for.
 */
function toIndexes<T>(items: readonly Item<T>[], { head }: Cursor): Indexes {
  const indexes = new Map(items.map(({ id }, index) => [id, index]));
  const headIndex = head === null ? 0 : (indexes.get(head) ?? 0);
  for (const { id } of items.slice(0, headIndex)) indexes.delete(id);
  return indexes;
}
