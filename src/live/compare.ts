import { hash } from 'node:crypto';
import type { Item } from '../rest/list.ts';
import type { Change } from './change.ts';
import { newestTime, type TimeOf } from './order.ts';
import type { Window } from './window.ts';

/** Two looks at one list. */
interface Looks<T> {
  readonly before: Seen;
  readonly now: Seen;
  /** What `now` was made of. */
  readonly window: Window<T>;
  readonly times: readonly TimeOf<T>[];
  /** The ids of items that a write has changed, even if all their fields are as before. */
  readonly written: ReadonlySet<string>;
}

/**
 * What changed between two looks, in the order of the list; a deleted item where it was.
 *
 * The list goes on behind the oldest item of a window, so what appears or disappears there may only have been pushed over
 * that end. The items of both looks that have kept their order show which it was: what is new behind them all was there
 * before, and what is missing there has been pushed out, unless an older item is in the window now. The items that lead the
 * window with times later than any before have moved there, and show nothing, even if they are still in order.
 */
export function compare<T>(looks: Looks<T>): Change<T>[] {
  const { items, newestEnd } = looks.window;
  const isReversed = newestEnd === 'tail';
  const oldIds = [...looks.before.items.keys()];
  const changes = compareNewestFirst(looks, {
    oldIds: isReversed ? oldIds.reverse() : oldIds,
    items: named(isReversed ? items.toReversed() : items),
  });
  return isReversed ? changes.reverse() : changes;
}

function compareNewestFirst<T>(
  { before, now, window, times: [timeOf], written }: Looks<T>,
  { oldIds, items }: { oldIds: readonly string[]; items: readonly Named<T>[] },
): Change<T>[] {
  const isNew = ({ id }: Named<T>) => !before.items.has(id);
  const timeAt = ({ value }: Named<T>) =>
    value instanceof Error || timeOf === undefined ? null : timeOf(value);
  const isNewest = (item: Named<T>) =>
    (timeAt(item) ?? 0) > (before.newestTime ?? Number.POSITIVE_INFINITY);
  const stayed = items.findIndex((item) => !isNew(item) && !isNewest(item));
  const last = stayed === -1 ? null : lastKept(oldIds, items, stayed);

  const isOlder = (item: Named<T>, index: number): boolean => {
    if (before.isWhole) return false;
    if (last !== null) return index > last.now;
    const time = timeAt(item);
    return time !== null && before.newestTime !== null && time < before.newestTime;
  };
  const reachesFurther = items.some((item, index) => isNew(item) && isOlder(item, index));
  const isGone = (id: string, index: number): boolean => {
    if (now.items.has(id)) return false;
    if (window.isWhole || reachesFurther) return true;
    return last !== null && index < last.before;
  };

  const gone = groupByNext<T>(oldIds, isGone, now);
  const changes: Change<T>[] = [];
  for (const [index, item] of items.entries()) {
    const { id } = item;
    if (isNew(item)) {
      if (!isOlder(item, index)) changes.push(toChange('CREATED', item));
      continue;
    }
    changes.push(...(gone.get(id) ?? []));
    if (written.has(id) || before.items.get(id) !== now.items.get(id)) {
      changes.push(toChange('UPDATED', item));
    }
  }
  changes.push(...(gone.get(null) ?? []));
  return changes;
}

type Named<T> = Item<T> & { readonly id: string };

/** The items that have an id; of those that a service repeats, the first. */
function named<T>(items: readonly Item<T>[]): readonly Named<T>[] {
  const ids = new Set<string | null>([null]);
  return items.filter((item): item is Named<T> => {
    const isFirst = !ids.has(item.id);
    ids.add(item.id);
    return isFirst;
  });
}

const toChange = <T>(kind: Change<T>['kind'], { id, value }: Named<T>): Change<T> => ({
  kind,
  id,
  value,
  size: value instanceof Error ? 0 : JSON.stringify(value).length,
});

/** The places of one item in both looks. */
interface Places {
  readonly before: number;
  readonly now: number;
}

/** Of the items that have kept their order, the last one; null if there is none. `from`: where to begin. */
function lastKept<T>(
  oldIds: readonly string[],
  items: readonly Named<T>[],
  from: number,
): Places | null {
  const oldPlaces = new Map(oldIds.map((id, index) => [id, index]));
  const places = new Map<number, number>();
  for (const [index, { id }] of items.entries()) {
    const old = oldPlaces.get(id);
    if (index >= from && old !== undefined) places.set(old, index);
  }
  const before = longestRising([...places.keys()]).at(-1);
  const now = before === undefined ? undefined : places.get(before);
  return before === undefined || now === undefined ? null : { before, now };
}

/** The deletions, by the item that is still there and was the next behind them; null: there was none. */
function groupByNext<T>(
  oldIds: readonly string[],
  isGone: (id: string, index: number) => boolean,
  now: Seen,
): Map<string | null, Change<T>[]> {
  const groups = new Map<string | null, Change<T>[]>();
  let group: Change<T>[] = [];
  for (const [index, id] of oldIds.entries()) {
    if (isGone(id, index)) group.push({ kind: 'DELETED', id, value: null, size: 0 });
    if (!now.items.has(id)) continue;
    groups.set(id, group);
    group = [];
  }
  return groups.set(null, group);
}

/**
 * Which of some positions have kept their order: a longest rising subsequence. What remains has moved; activity, for
 * example, moves a conversation to the head of its list.
 */
function longestRising(positions: readonly number[]): readonly number[] {
  /** By length, the index of the smallest position that ends a rising sequence of that length. */
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, position] of positions.entries()) {
    let length = 0;
    let high = ends.length;
    while (length < high) {
      const middle = (length + high) >> 1;
      if ((positions[ends[middle] as number] as number) < position) length = middle + 1;
      else high = middle;
    }
    before[index] = length === 0 ? -1 : (ends[length - 1] as number);
    ends[length] = index;
  }
  const rising: number[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] as number) {
    rising.push(positions[index] as number);
  }
  return rising.reverse();
}

/** What is remembered of a window until the next look: of its items, the ids and a hash. */
export interface Seen {
  /** The hashes by id, in the order of the list. */
  readonly items: ReadonlyMap<string, string>;
  readonly isWhole: boolean;
  /** The time of the newest item; null if none is known. */
  readonly newestTime: number | null;
}

/** What to remember of a window. An item whose id cannot be read cannot be found again, and is left out. */
export function toSeen<T>(
  { items, isWhole }: Window<T>,
  times: readonly TimeOf<T>[],
): Seen {
  const hashes = new Map<string, string>();
  for (const item of items) {
    if (item.id !== null && !hashes.has(item.id)) hashes.set(item.id, hashOf(item));
  }
  return { items: hashes, isWhole, newestTime: newestTime(items, times) };
}

/** Different if any field differs, or what is wrong with a malformed item. */
const hashOf = ({ value }: Item<unknown>): string =>
  hash('sha1', value instanceof Error ? value.message : JSON.stringify(value), 'base64');
