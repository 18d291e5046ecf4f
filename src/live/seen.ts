import { hash } from 'node:crypto';
import type { Item } from '../rest/list.ts';
import { newestTime, type TimeOf } from './order.ts';
import type { Window } from './window.ts';

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
