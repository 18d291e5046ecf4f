import { hash } from 'node:crypto';
import { longestIncreasingLengths } from '../paging/order.ts';
import type { RestDecodeError } from '../rest/errors.ts';
import { type Item, timeOfItem } from '../rest/list.ts';
import type { ResumePoint } from './resume-point.ts';
import type { Window } from './window.ts';

/** What happened to an item of a watched list. */
export interface Change<T> {
  readonly kind: 'CREATED' | 'UPDATED' | 'DELETED';
  readonly id: string;
  /** The id of the object that it belongs to, or why that cannot be read; null if items belong to none. */
  readonly owner: Owner;
  /** The item as it is now, or why it cannot be read; null when it was deleted. */
  readonly value: T | RestDecodeError | null;
  /** The approximate length of the item as JSON. Unit: characters. */
  readonly size: number;
  /** Where its subscriber can go on behind it; undefined if it does not ask for that. */
  readonly resumePoint?: ResumePoint;
}

type Owner = string | RestDecodeError | null;

/** What is kept of an item. */
export interface KeptItem {
  readonly hash: string;
  readonly owner: Owner;
}

/** What is kept of a window until the next poll. */
export interface Snapshot {
  /** By id, in the order of the list. */
  readonly items: ReadonlyMap<string, KeptItem>;
  readonly isWhole: boolean;
  /** The time of the newest item; null if none is known. */
  readonly newestTime: number | null;
}

/** An item whose id cannot be read cannot be found again, and is left out. A malformed one belongs to what it did before. */
export function toSnapshot<T>(
  window: Window<T>,
  ownerIdOf?: (value: T) => string,
  before: Snapshot | null = null,
): Snapshot {
  const items = new Map<string, KeptItem>();
  let newestTime: number | null = null;
  for (const item of window.items) {
    const { id, value } = item;
    if (id !== null && !items.has(id)) {
      const owner =
        value instanceof Error
          ? (before?.items.get(id)?.owner ?? value)
          : (ownerIdOf?.(value) ?? null);
      items.set(id, { hash: hashOf(item), owner });
    }
    const time = timeOfItem(item, window.timeOf);
    if (time !== null && (newestTime === null || time > newestTime)) newestTime = time;
  }
  return { items, isWhole: window.isWhole, newestTime };
}

/** So many bits that two versions of an item do not have the same by chance. Unit: characters of base64. */
export const HASH_LENGTH = 8;

/** Different if any field differs, or what is wrong with a malformed item. */
const hashOf = ({ value }: Item<unknown>): string =>
  hash(
    'sha1',
    value instanceof Error ? value.message : JSON.stringify(value),
    'base64',
  ).slice(0, HASH_LENGTH);

/** Two polls of one list. */
export interface Polled<T> {
  readonly before: Snapshot;
  /** The snapshot of `window`. */
  readonly now: Snapshot;
  readonly window: Window<T>;
  /** Whether a write has changed an item, even if all its fields are as before. */
  readonly isWritten: (id: string) => boolean;
}

/**
 * What changed between two polls, in the order of the list; a deleted item where it was.
 *
 * The list goes on behind the oldest item of a window, so an item there may only have been pushed over that end. The last item
 * that both polls have in the same order shows which it was. With the newest item first:
 * - `abcde` becomes `xabcd`: d is the last. e was behind it, so it was pushed out, and not deleted.
 * - `abcde` becomes `abdef`: e is the last. c was before it, so it was deleted. f is behind it, so it was in the list before,
 *   and was not created.
 * - `abcde` becomes `abcdf`: d is the last. f, an older item, has come into the window, so e was not pushed out, but deleted.
 *
 * Items at the newest end with times later than any before have moved there. They are left out of this comparison, even if
 * they are still in order.
 */
export function compare<T>(polled: Polled<T>): readonly Change<T>[] {
  const { before, now, window, isWritten } = polled;
  const newestFirst = <A>(list: readonly A[]): readonly A[] =>
    window.newestEnd === 'tail' ? list.toReversed() : list;
  const oldIds = newestFirst([...before.items.keys()]);
  const items = newestFirst(named(window.items));

  const isNew = ({ id }: Named<T>) => !before.items.has(id);
  const stayed = items.findIndex((item) => hasStayed(item, polled));
  const last = stayed === -1 ? null : lastKept(oldIds, items, stayed);

  const isOlder = (item: Named<T>, index: number): boolean => {
    if (before.isWhole) return false;
    if (last !== null) return index > last.now;
    const time = timeOfItem(item, window.timeOf);
    return time !== null && before.newestTime !== null && time < before.newestTime;
  };
  const reachesFurther = items.some((item, index) => isNew(item) && isOlder(item, index));
  const isGone = (id: string, index: number): boolean => {
    if (now.items.has(id)) return false;
    if (window.isWhole || reachesFurther) return true;
    return last !== null && index < last.before;
  };

  const gone = groupByNext<T>(oldIds, isGone, polled);
  const toChange = (kind: Change<T>['kind'], { id, value }: Named<T>): Change<T> => ({
    kind,
    id,
    owner: now.items.get(id)?.owner ?? null,
    value,
    size: value instanceof Error ? 0 : JSON.stringify(value).length,
  });
  const changes: Change<T>[] = [];
  for (const [index, item] of items.entries()) {
    const { id } = item;
    if (isNew(item)) {
      if (!isOlder(item, index)) changes.push(toChange('CREATED', item));
      continue;
    }
    changes.push(...(gone.get(id) ?? []));
    if (isWritten(id) || before.items.get(id)?.hash !== now.items.get(id)?.hash) {
      changes.push(toChange('UPDATED', item));
    }
  }
  changes.push(...(gone.get(null) ?? []));
  return newestFirst(changes);
}

/** Whether the item was in the window before, and is not at its newest end only because it has moved there. */
function hasStayed<T>(item: Item<T>, { before, window }: Polled<T>): boolean {
  if (item.id === null || !before.items.has(item.id)) return false;
  const time = timeOfItem(item, window.timeOf) ?? 0;
  return time <= (before.newestTime ?? Number.POSITIVE_INFINITY);
}

/** Whether the windows of both polls share an item that has stayed: then both together show everything that came since. */
export const sharesItems = <T>(polled: Polled<T>): boolean =>
  polled.window.items.some((item) => hasStayed(item, polled));

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

/**
 * The places, before and now, of the last item that has kept its order; null if there is none. `from`: where to begin. What
 * is not in a longest increasing subsequence of old places has moved; activity, for example, moves a conversation to the head.
 */
function lastKept<T>(
  oldIds: readonly string[],
  items: readonly Named<T>[],
  from: number,
): { readonly before: number; readonly now: number } | null {
  const oldPlaces = new Map(oldIds.map((id, index) => [id, index]));
  const known = items.flatMap(({ id }, now) => {
    const before = oldPlaces.get(id);
    return now < from || before === undefined ? [] : [{ before, now }];
  });
  const lengths = longestIncreasingLengths(known.map(({ before }) => before));
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  return known[lengths.lastIndexOf(longest)] ?? null;
}

/** Deletions, grouped by the next remaining item that followed them; null: none followed. */
function groupByNext<T>(
  oldIds: readonly string[],
  isGone: (id: string, index: number) => boolean,
  { before, now }: Pick<Polled<T>, 'before' | 'now'>,
): Map<string | null, Change<T>[]> {
  const groups = new Map<string | null, Change<T>[]>();
  let group: Change<T>[] = [];
  for (const [index, id] of oldIds.entries()) {
    if (isGone(id, index)) {
      const owner = before.items.get(id)?.owner ?? null;
      group.push({ kind: 'DELETED', id, owner, value: null, size: 0 });
    }
    if (!now.items.has(id)) continue;
    groups.set(id, group);
    group = [];
  }
  return groups.set(null, group);
}
