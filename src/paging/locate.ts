import type { Item } from '../rest/list.ts';
import type { Cursor, Neighbour } from './cursor.ts';
import { findRemembered, type Remembered } from './order.ts';

/** The place of a cursor among items: right before `index`. */
export interface Place {
  readonly index: number;
  /** How it was found: by the cursor's own item, or by the neighbours before it, after it, or both. */
  readonly by: 'own' | 'both' | 'predecessor' | 'successor';
  /** Whether the own item is at a new position, without any remembered neighbour beside it: perhaps the item itself has moved. */
  readonly isAlone: boolean;
  /** The ids that the client has passed to get here. They are not returned again, wherever they are now. */
  readonly passed: ReadonlySet<Neighbour>;
}

type Indexes = Remembered['indexes'];

/** A place found by a neighbour, and how many items without an id lie between the two. */
interface PlaceByNeighbour extends Pick<Place, 'index' | 'by'> {
  readonly gaps: number;
}

/**
 * How many items may have been inserted between a predecessor and the cursor's own item. If the own item is not found
 * within that many, it counts as deleted.
 */
const MAX_INSERTED = 20;

/**
 * Finds the place right after or before a cursor's item, or where that item was; null if neither the item nor any of
 * its neighbours is among `items`.
 *
 * Example: of the list `a b c d e` a client has read `a b c`. Its cursor names c, and remembers b and a before it. The
 * place after it, shown as `|`, once the list has changed:
 * - `1 2 a b c | d e`: c itself is found.
 * - `a b | d e`: c is gone; its predecessor b marks the place.
 * - `c a b | d e`: c has moved, because a and b are still adjacent; b marks the place.
 * - `a b | x c d e`: c counts as moved too. It is not returned again, so the next items are x, d and e.
 * - `d e`: null.
 */
export function locate<T>(
  items: readonly Item<T>[],
  cursor: Cursor,
  side: 'after' | 'before',
): Place | null {
  const { before, id, after, position } = cursor;
  const isAfter = side === 'after';
  const way = isAfter ? [...before.toReversed(), id] : [id, ...after];
  const { own, isOwnAlone, indexes } = findRemembered(items, cursor, way);
  const passed = new Set(
    cursor.leftOut === undefined ? way : [...way, ...cursor.leftOut],
  );

  const index = id === null ? indexWithoutId(items, cursor, indexes) : own;
  if (index !== null) {
    const isAlone = index !== position && isOwnAlone;
    return { index: isAfter ? index + 1 : index, by: 'own', isAlone, passed };
  }
  // The place is beside the last passed item: whatever comes next is new, or came after the deleted item.
  const place = fromNeighbours(cursor, indexes, isAfter ? 'predecessor' : 'successor');
  return place && { index: place.index, by: place.by, isAlone: false, passed };
}

/** How many items must be known before a place is certain. */
export const settledAt = ({ index, by }: Place): number =>
  by === 'predecessor' ? index + MAX_INSERTED : index;

/**
 * An item without an id is found by its neighbours or, if none of them has an id, by its position. Another item there, or
 * none, does not show that it is gone: it may be outside `items`.
 */
function indexWithoutId<T>(
  items: readonly Item<T>[],
  cursor: Cursor,
  indexes: Indexes,
): number | null {
  const predecessor = afterPredecessor(cursor, indexes);
  const successor = beforeSuccessor(cursor, indexes);
  const { position, before, after } = cursor;
  const places = [predecessor?.index, successor && successor.index - 1];
  if ([...before, ...after].every((id) => id === null)) places.push(position);
  return places.find((index) => index != null && items[index]?.id === null) ?? null;
}

/** Takes the neighbour with fewer gaps, because items without an id may be gone too. If the gaps are equal, takes the preferred one. */
function fromNeighbours(
  cursor: Cursor,
  indexes: Indexes,
  preferred: 'predecessor' | 'successor',
): PlaceByNeighbour | null {
  const predecessor = afterPredecessor(cursor, indexes);
  const successor = beforeSuccessor(cursor, indexes);
  if (predecessor === null || successor === null) return predecessor ?? successor;
  const difference = predecessor.gaps - successor.gaps;
  const isPredecessor = difference === 0 ? preferred === 'predecessor' : difference < 0;
  return { ...(isPredecessor ? predecessor : successor), by: 'both' };
}

function afterPredecessor({ before }: Cursor, indexes: Indexes): PlaceByNeighbour | null {
  const found = nearest(before, indexes);
  return found && { ...found, index: found.index + found.gaps + 1, by: 'predecessor' };
}

function beforeSuccessor({ after }: Cursor, indexes: Indexes): PlaceByNeighbour | null {
  const found = nearest(after, indexes);
  if (found === null) return null;
  return { ...found, index: Math.max(0, found.index - found.gaps), by: 'successor' };
}

/** The nearest of the neighbours that is in `indexes`, and how many items without an id come before it. */
function nearest(
  neighbours: readonly Neighbour[],
  indexes: Indexes,
): Pick<PlaceByNeighbour, 'index' | 'gaps'> | null {
  let gaps = 0;
  for (const id of neighbours) {
    const index = indexes.get(id);
    if (index !== undefined) return { index, gaps };
    if (id === null) gaps += 1;
  }
  return null;
}
