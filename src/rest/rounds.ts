import type { Sharer } from './caller-id.ts';

const always = () => true;
function first<T>(items: Iterable<T>): T | null {
  for (const item of items) return item;
  return null;
}

/**
 * What waits for turns, which go round between callers: each has one in a round, so that a long queue of one delays no other.
 * Strangers have one together, which goes round between them in turn. What waits of one caller keeps its order.
 */
export class Rounds<T> {
  /** By share and token, in the order of the next turns. */
  readonly #shares = new Map<string, Map<string, Set<T>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add({ share, token }: Sharer, item: T): void {
    const callers = this.#shares.get(share) ?? new Map<string, Set<T>>();
    const items = callers.get(token) ?? new Set();
    this.#shares.set(share, callers.set(token, items.add(item)));
    this.#size += 1;
  }

  remove({ share, token }: Sharer, item: T): void {
    const callers = this.#shares.get(share);
    const items = callers?.get(token);
    if (items?.delete(item) !== true) return;
    this.#size -= 1;
    if (items.size === 0) callers?.delete(token);
    if (callers?.size === 0) this.#shares.delete(share);
  }

  /**
   * Takes out the next item that may have its turn; null if there is none. `mayHave` leaves out whole shares, and `choose`
   * returns one of the items of a caller, or null.
   */
  take(
    choose: (items: Iterable<T>) => T | null = first,
    mayHave: (share: string) => boolean = always,
  ): T | null {
    for (const [share, callers] of this.#shares) {
      if (!mayHave(share)) continue;
      for (const [token, items] of callers) {
        const item = choose(items);
        if (item === null) continue;
        // The next turns of this caller, and of all strangers, come after those of the others.
        items.delete(item);
        this.#size -= 1;
        moveToEnd(callers, token);
        moveToEnd(this.#shares, share);
        return item;
      }
    }
    return null;
  }
}

/** Unless it is empty: then it is dropped. */
function moveToEnd<T extends { readonly size: number }>(
  map: Map<string, T>,
  key: string,
): void {
  const value = map.get(key);
  map.delete(key);
  if (value !== undefined && value.size > 0) map.set(key, value);
}
