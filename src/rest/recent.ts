/** State for each of many keys, dropped some time after its last use. */
export interface Recent<T> {
  /** The state of a key, if there is one; this counts as a use. */
  find(key: string, now: number): T | undefined;
  /** The same, but it does not count as a use. */
  peek(key: string): T | undefined;
  add(key: string, state: T, now: number): void;
  remove(key: string): void;
  readonly isEmpty: boolean;
  /** All states; this does not count as a use, but drops those whose time is up. */
  values(now: number): Iterable<T>;
}

interface RecentOptions {
  /** A state is dropped when it was not used for this time, at the latest for twice this time. Unit: milliseconds. */
  readonly idleMs: number;
  /** At most twice as many states are kept; those that were not used for longest go first. */
  readonly max: number;
}

/**
 * Keeps two generations of states. A use moves a state to the young one. When that is full or old, it becomes the old one,
 * and the states in the old one are dropped.
 */
export function createRecent<T>({ idleMs, max }: RecentOptions): Recent<T> {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  let bornAt = 0;

  function age(now: number): void {
    old = now - bornAt < 2 * idleMs ? young : new Map();
    young = new Map();
    bornAt = now;
  }

  function find(key: string, now: number): T | undefined {
    if (now - bornAt >= idleMs) age(now);
    const known = young.get(key);
    if (known !== undefined) return known;
    const state = old.get(key);
    if (state !== undefined) add(key, state, now);
    return state;
  }

  function add(key: string, state: T, now: number): void {
    const isFull = young.size >= max && !young.has(key);
    if (now - bornAt >= idleMs || isFull) age(now);
    old.delete(key);
    young.set(key, state);
  }

  return {
    find,
    peek: (key) => young.get(key) ?? old.get(key),
    add,
    remove(key) {
      young.delete(key);
      old.delete(key);
    },
    get isEmpty() {
      return young.size === 0 && old.size === 0;
    },
    *values(now) {
      if (now - bornAt >= idleMs) age(now);
      yield* young.values();
      yield* old.values();
    },
  };
}
