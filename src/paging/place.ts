import type { Item } from '../rest/page.ts';
import type { Cursor, Neighbour } from './cursor.ts';

/** Where a cursor lies among items: in front of `index`. */
export interface Place {
  readonly index: number;
  /** False when the cursor's own item may yet turn up further on. */
  readonly certain: boolean;
}

type Indexes = ReadonlyMap<Neighbour, number>;

/** The place right behind the cursor's item, or behind what is left of its neighbourhood; null if nothing is. */
export function placeBehind<T>(items: readonly Item<T>[], cursor: Cursor): Place | null {
  const indexes = toIndexes(items, cursor);
  const own = ownIndex(indexes, cursor);
  if (own !== null) return { index: own + 1, certain: true };
  // The nearest predecessor still there: what stands behind it now is new, or comes after the deleted item.
  return behindPredecessor(indexes, cursor) ?? beforeSuccessor(indexes, cursor);
}

/** The place right in front of the cursor's item, or of what is left of its neighbourhood; null if nothing is. */
export function placeBefore<T>(items: readonly Item<T>[], cursor: Cursor): Place | null {
  const indexes = toIndexes(items, cursor);
  const own = ownIndex(indexes, cursor);
  if (own !== null) return { index: own, certain: true };
  return beforeSuccessor(indexes, cursor) ?? behindPredecessor(indexes, cursor);
}

/** The nearest neighbour with an id that `indexes` holds, and how many items without an id lie between. */
function nearest(
  neighbours: readonly Neighbour[],
  indexes: Indexes,
): { index: number; nameless: number } | null {
  let nameless = 0;
  for (const id of neighbours) {
    const index = id === null ? undefined : indexes.get(id);
    if (index !== undefined) return { index, nameless };
    if (id === null) nameless += 1;
  }
  return null;
}

/** An item without an id is found by its neighbours, or, if none of them has one, by its position. */
function ownIndex(indexes: Indexes, cursor: Cursor): number | null {
  if (cursor.id !== null) return indexes.get(cursor.id) ?? null;
  const before = nearest(cursor.before, indexes);
  if (before !== null) return before.index + before.nameless + 1;
  const after = nearest(cursor.after, indexes);
  if (after !== null) return Math.max(0, after.index - after.nameless - 1);
  const neighbours = [...cursor.before, ...cursor.after];
  return neighbours.every((id) => id === null) ? cursor.position : null;
}

function behindPredecessor(indexes: Indexes, cursor: Cursor): Place | null {
  const found = nearest(cursor.before, indexes);
  if (found === null) return null;
  const certain = nearest(cursor.after, indexes) !== null;
  return { index: found.index + found.nameless + 1, certain };
}

function beforeSuccessor(indexes: Indexes, cursor: Cursor): Place | null {
  const found = nearest(cursor.after, indexes);
  if (found === null) return null;
  return { index: Math.max(0, found.index - found.nameless), certain: true };
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
