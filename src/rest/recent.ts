/** State for each of many keys, dropped some time after its last use. */
export interface Recent<T> {
  /** The state of a key; a new one if the key was not used lately. */
  use(key: string, now: number): T;
  /** The state of a key, if there is one; this does not count as a use. */
  peek(key: string): T | undefined;
  values(): Iterable<T>;
}

interface RecentOptions<T> {
  readonly create: () => T;
  /** A state is dropped when it was not used for this time, at the latest for twice this time. Unit: milliseconds. */
  readonly idleMs: number;
  /** At most twice as many states are kept; those that were not used for longest go first. */
  readonly max: number;
}

/**
 * Keeps two generations of states. A use moves a state to the young one. When that is full or old, it becomes the old one,
 * and the states in the old one are dropped.
 */
export function createRecent<T>({ create, idleMs, max }: RecentOptions<T>): Recent<T> {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  let bornAt = 0;

  function age(now: number): void {
    old = now - bornAt < 2 * idleMs ? young : new Map();
    young = new Map();
    bornAt = now;
  }

  return {
    use(key, now) {
      if (now - bornAt >= idleMs) age(now);
      const known = young.get(key);
      if (known !== undefined) return known;
      if (young.size >= max) age(now);
      const state = old.get(key) ?? create();
      old.delete(key);
      young.set(key, state);
      return state;
    },
    peek: (key) => young.get(key) ?? old.get(key),
    *values() {
      yield* young.values();
      yield* old.values();
    },
  };
}
