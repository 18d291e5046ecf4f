import type { Item } from '../rest/list.ts';
import type { Cursor, Neighbour } from './cursor.ts';
import { findRemembered, type Indexes, type Remembered } from './order.ts';

/** Where a cursor lies among items: in front of `index`. */
export interface Place {
  readonly index: number;
  /** What it was found by: the cursor's own item, or which of its remembered neighbours. */
  readonly by: 'own' | 'both' | 'predecessor' | 'successor';
  /** By its own item alone, elsewhere than it was: seen among few items, it may as well have been moved. */
  readonly isAlone: boolean;
  /** What was passed on the way to the cursor, and is not given again wherever it stands now. */
  readonly passed: ReadonlySet<Neighbour>;
}

/**
 * A place found by predecessors alone is in doubt: the cursor's own item may live on behind items that were added in
 * between. So many items further it is taken to be gone.
 */
export const MAX_INSERTED = 20;

/** The place right behind the cursor's item, or behind what is left of its neighbourhood; null if nothing is. */
export const placeBehind = <T>(items: readonly Item<T>[], cursor: Cursor): Place | null =>
  findPlace(items, cursor, 'behind');

/** The place right in front of the cursor's item, or of what is left of its neighbourhood; null if nothing is. */
export const placeBefore = <T>(items: readonly Item<T>[], cursor: Cursor): Place | null =>
  findPlace(items, cursor, 'before');

function findPlace<T>(
  items: readonly Item<T>[],
  cursor: Cursor,
  side: 'behind' | 'before',
): Place | null {
  const { before, id, after } = cursor;
  const isBehind = side === 'behind';
  const way = isBehind ? [...before.toReversed(), id] : [id, ...after];
  const remembered = findRemembered(items, cursor, way);
  const passed = new Set(way.filter((each) => each !== null));
  const own = ownIndex(items, remembered, cursor);
  if (own === null) {
    // Beside the nearest that was passed: what stands beyond it now is new, or comes after the deleted item.
    const preferred = isBehind ? 'predecessor' : 'successor';
    const place = fromNeighbours(remembered.indexes, cursor, preferred);
    return place && { ...place, isAlone: false, passed };
  }
  const isAlone = own !== cursor.position && remembered.isOwnAlone;
  return { index: isBehind ? own + 1 : own, by: 'own', isAlone, passed };
}

/** The items behind a place that are not given again are left out. */
export const leaveOutBehind = <T>(
  items: readonly Item<T>[],
  { index, passed }: Place,
): readonly Item<T>[] => items.filter(({ id }, at) => at < index || !passed.has(id));

/** The same in front of a place, which so moves. */
export function leaveOutBefore<T>(
  items: readonly Item<T>[],
  { index, passed }: Place,
): { items: readonly Item<T>[]; index: number } {
  const front = items.slice(0, index).filter(({ id }) => !passed.has(id));
  return { items: [...front, ...items.slice(index)], index: front.length };
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
  { own, indexes }: Remembered,
  cursor: Cursor,
): number | null {
  if (cursor.id !== null) return own;
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
): Pick<Place, 'index' | 'by'> | null {
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
