import type { Item } from '../rest/list.ts';
import type { Cursor, Neighbour } from './cursor.ts';

/** The remembered items that have not moved. */
export interface Remembered {
  /** The index of the cursor's own item; null if it is gone, has moved, or has no id. */
  readonly own: number | null;
  /** Whether no other item of the way is still adjacent to it. */
  readonly isOwnAlone: boolean;
  /** The indexes of those that have not moved. */
  readonly indexes: ReadonlyMap<Neighbour, number>;
}

/** A remembered id, and its index now. */
interface Mark {
  readonly id: string;
  readonly index: number;
}

/**
 * Marks that have kept their order. The fewest moves explain a new order, so the marks that have not moved form a longest
 * increasing subsequence (LIS) of the indexes.
 */
interface InOrder {
  /** Marks of at least one LIS. */
  readonly possible: readonly Mark[];
  /** Marks of every LIS. */
  readonly certain: readonly Mark[];
}

/**
 * Finds the items a cursor remembers, without those that have moved: conversations move when there is activity in them,
 * and an item that has moved no longer marks the cursor's place. `way`: the ids that lead to the cursor, including
 * its own, in list order.
 *
 * Example: a cursor remembers `a b c d e`, its own item is c, and `a b c` is the way to it.
 * - `b c d a e`: a has moved, because b c d e are the longest increasing subsequence.
 * - `a c b d e`: either b or c has moved. Only a d e are certain, but c counts too, as the cursor's own item.
 * - `a b x c d e`: a b are still adjacent, c is not. The largest adjacent group of the way counts, so c has moved.
 */
export function findRemembered<T>(
  items: readonly Item<T>[],
  cursor: Cursor,
  way: readonly Neighbour[],
): Remembered {
  const own = cursor.id;
  const marks = positionsOf(cursor, items);
  const { possible, certain } = longestInOrder(marks);
  const isOnWay = ({ id }: Mark) => way.includes(id);
  const onWay = possible.filter(
    (mark) => isOnWay(mark) && (mark.id === own || certain.includes(mark)),
  );
  // Backward, the way starts at the cursor; forward, it ends there.
  const nearest = way[0] === own ? 'first' : 'last';
  const group = largestGroup(toAdjacentGroups(onWay, marks, items), nearest);
  const unmoved = [...group, ...certain.filter((mark) => !isOnWay(mark))];
  return {
    own: group.find(({ id }) => id === own)?.index ?? null,
    isOwnAlone: group.length === 1,
    indexes: new Map(unmoved.map(({ id, index }) => [id, index])),
  };
}

/** The remembered ids that are still in the list, in the order in which they are remembered. */
function positionsOf<T>(
  { head, before, id: own, after }: Cursor,
  items: readonly Item<T>[],
): readonly Mark[] {
  const around = [...before.toReversed(), own, ...after];
  const ids = new Set(around.includes(head) ? around : [head, ...around]);
  const indexes = new Map(items.map(({ id }, index) => [id, index]));
  return [...ids].flatMap((id): Mark[] => {
    const index = indexes.get(id);
    return id === null || index === undefined ? [] : [{ id, index }];
  });
}

function longestInOrder(marks: readonly Mark[]): InOrder {
  const indexes = marks.map(({ index }) => index);
  const mirrored = indexes.map((index) => -index).reverse();
  const upTo = longestIncreasingLengths(indexes);
  const from = longestIncreasingLengths(mirrored).reverse();
  const longest = Math.max(0, ...upTo);
  const steps = marks
    .map((mark, at) => ({ mark, step: upTo[at] ?? 0, onward: from[at] ?? 0 }))
    .filter(({ step, onward }) => step + onward - 1 === longest);
  // Of several marks at one step of the LIS only one has stayed, and which one is unknown: none is certain.
  const certain = steps.filter(
    ({ step }) => steps.filter((other) => other.step === step).length === 1,
  );
  return {
    possible: steps.map(({ mark }) => mark),
    certain: certain.map(({ mark }) => mark),
  };
}

/** For each value, the length of the longest increasing subsequence that ends with it. */
export function longestIncreasingLengths(values: readonly number[]): number[] {
  /** By length, the smallest value that ends an increasing subsequence of that length. */
  const ends: number[] = [];
  return values.map((value) => {
    const length = ends.findLastIndex((end) => end < value) + 1;
    ends[length] = value;
    return length + 1;
  });
}

/** Splits `onWay` wherever an item that is not remembered has come between two marks. */
function toAdjacentGroups<T>(
  onWay: readonly Mark[],
  remembered: readonly Mark[],
  items: readonly Item<T>[],
): readonly (readonly Mark[])[] {
  const known = new Set<Neighbour>(remembered.map(({ id }) => id)).add(null);
  const groups: Mark[][] = [];
  for (const mark of onWay) {
    const last = groups.at(-1)?.at(-1);
    const between = last && items.slice(last.index + 1, mark.index);
    if (between?.every(({ id }) => known.has(id))) groups.at(-1)?.push(mark);
    else groups.push([mark]);
  }
  return groups;
}

/** Of several largest groups, takes the one nearest to the cursor. */
function largestGroup(
  groups: readonly (readonly Mark[])[],
  nearest: 'first' | 'last',
): readonly Mark[] {
  const size = Math.max(0, ...groups.map(({ length }) => length));
  const isLargest = ({ length }: readonly Mark[]) => length === size;
  const group = nearest === 'first' ? groups.find(isLargest) : groups.findLast(isLargest);
  return group ?? [];
}
