import type { List } from '../rest/list.ts';
import type { Send } from '../rest/send.ts';
import type { Touch } from './notice.ts';

/** A list that can be watched. */
export interface WatchedList<T> {
  /** Identifies it among the lists of one token. */
  readonly key: string;
  /** The type of its items, by its name in the schema. */
  readonly typeName: string;
  list(send: Send): List<T>;
  /**
   * Whether a write touched what it shows; without this, none does. `maybe`: it may have, and is polled in a turn that all such
   * writes share. `isOwn`: it was made with the token of the watch.
   */
  isTouched?(touch: Touch, isOwn: boolean, window: ShownIds): boolean | 'maybe';
  /** Whether the write changed an item in a way that its fields may not show. Default: no. */
  isWritten?(touch: Touch): boolean;
  /** What the object is whose list it is, for errors; undefined if it has all that the caller may see. */
  readonly ownerNoun?: string;
  /** The id of the object that an item belongs to; without this, items belong to none. */
  ownerIdOf?(value: T): string;
}

/** The ids that the window of a list shows. */
interface ShownIds {
  /** Whether this item is in it. */
  has(id: string | null): boolean;
  /** Whether an item of this object is in it. */
  hasOwner(id: string | null): boolean;
}
