import type { Item } from '../rest/list.ts';
import type { Cursor, Neighbour } from './cursor.ts';

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

/** Something that was remembered, and where it stands now. */
interface Mark {
  readonly id: string;
  readonly index: number;
}

/** Of marks in the order in which they were remembered, those that have kept it. */
interface Kept {
  /** Those of any of the largest sets that stand in order. */
  readonly possible: readonly Mark[];
  /** Those of all of them; of two neighbours that have changed places, either may have moved. */
  readonly certain: readonly Mark[];
}

/** As few as possible must have been moved for the others to stand as they do. */
function keepOrder(marks: readonly Mark[]): Kept {
  const upTo = longestRuns(marks);
  const mirrored = marks.map(({ id, index }) => ({ id, index: -index })).reverse();
  const from = longestRuns(mirrored).reverse();
  const longest = Math.max(0, ...upTo);
  const steps = marks.map((mark, at) => ({
    mark,
    step: upTo[at] ?? 0,
    isKept: (upTo[at] ?? 0) + (from[at] ?? 0) - 1 === longest,
  }));
  const kept = steps.filter(({ isKept }) => isKept);
  // Two that could be the same step of the run are both in doubt.
  const certain = kept.filter(
    ({ step }) => kept.filter((other) => other.step === step).length === 1,
  );
  return {
    possible: kept.map(({ mark }) => mark),
    certain: certain.map(({ mark }) => mark),
  };
}

/** For each mark, how many of those in front of it, and itself, stand in order at most. */
function longestRuns(marks: readonly Mark[]): number[] {
  const runs: number[] = [];
  for (const { index } of marks) {
    const inFront = runs.filter((_run, at) => (marks[at]?.index ?? index) < index);
    runs.push(Math.max(0, ...inFront) + 1);
  }
  return runs;
}

/** Marks in groups, each as long as those that follow one another stand together. */
function toGroups(
  marks: readonly Mark[],
  isTogether: (one: Mark, next: Mark) => boolean,
): readonly (readonly Mark[])[] {
  const groups: Mark[][] = [];
  for (const mark of marks) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && isTogether(last, mark))
      group.push(mark);
    else groups.push([mark]);
  }
  return groups;
}
