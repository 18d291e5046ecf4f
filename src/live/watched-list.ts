import type { Item, List } from '../rest/list.ts';
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
   * writes share. `isOwn`: it was made with the token of the watch; `has`: whether an id is in the window.
   */
  isTouched?(
    touch: Touch,
    isOwn: boolean,
    has: (id: string | null) => boolean,
  ): boolean | 'maybe';
  /** Whether it touched an item, and the item's fields may not show it; without this, it never did. */
  isWritten?(touch: Touch): boolean;
  /** The object whose list it is; undefined if it has all that the caller may see. */
  readonly owner?: Owner<T>;
}

interface Owner<T> {
  /** What the object is, for errors. */
  readonly noun: string;
  /** The id that all items name. Null if they do not agree: the service may ignore the filter. */
  idIn(items: readonly Item<T>[]): string | null;
}
