import type { Item } from '../rest/list.ts';
import type { Cursor, Neighbour } from './cursor.ts';
import { keepOrder, type Mark, toGroups } from './order.ts';

export type Indexes = ReadonlyMap<Neighbour, number>;

/** What is left of what a cursor remembers. */
export interface Remembered {
  /** Where its own item stands; null if it is gone, has no id or has been moved. */
  readonly own: number | null;
  /** Whether nothing else of the way to it is left. */
  readonly isOwnAlone: boolean;
  /** Where its neighbours stand that have not been moved. */
  readonly indexes: Indexes;
}

/**
 * Lists are not only added to: conversations move as there is activity in them. An item that was moved no longer marks
 * the place it was remembered for. Which one that was shows in the order of the others, and in where most of those on the
 * `way` to the cursor stand together.
 */
export function findRemembered<T>(
  items: readonly Item<T>[],
  { head, before, id: own, after }: Cursor,
  way: readonly Neighbour[],
): Remembered {
  const around = [...before.toReversed(), own, ...after];
  const ids = new Set(around.includes(head) ? around : [head, ...around]);
  const indexes = new Map(items.map(({ id }, index) => [id, index]));
  const marks = [...ids].flatMap((id): Mark[] => {
    const index = indexes.get(id);
    return id === null || index === undefined ? [] : [{ id, index }];
  });
  const { possible, certain } = keepOrder(marks);
  const isOnWay = ({ id }: Mark) => way.includes(id);
  const areTogether = (one: Mark, next: Mark) =>
    items.slice(one.index + 1, next.index).every(({ id }) => id === null || ids.has(id));
  const onWay = possible.filter(
    (mark) => isOnWay(mark) && (mark.id === own || certain.includes(mark)),
  );
  // Of groups as large, the one nearest to the place.
  const groups = toGroups(onWay, areTogether).toSorted((a, b) => b.length - a.length);
  const largest = groups.filter(({ length }) => length === groups[0]?.length);
  const group = (way[0] === own ? largest[0] : largest.at(-1)) ?? [];
  const unmoved = [...group, ...certain.filter((mark) => !isOnWay(mark))];
  return {
    own: group.find(({ id }) => id === own)?.index ?? null,
    isOwnAlone: group.length === 1,
    indexes: new Map(unmoved.map(({ id, index }) => [id, index])),
  };
}
