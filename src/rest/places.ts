/** Places that callers share, such as connections. A caller is a text: its token, or a key of it. All that is kept is how many each holds. */
export interface Places {
  /** Takes a place, and returns whether the caller may have one more. */
  take(caller: string): boolean;
  /** Whether `take` would succeed. */
  hasRoom(caller: string): boolean;
  /** Gives back a place that the caller took. */
  give(caller: string): void;
  /** Whether the caller holds a place. */
  isHeldBy(caller: string): boolean;
  readonly taken: number;
  /** Whether any place is free. */
  readonly isFree: boolean;
  /** Whether a place is free for a caller that holds some already: the last one is kept for a caller that holds none. */
  readonly hasMoreThanLast: boolean;
}

/**
 * A caller may take another place while it holds less than this many times the free ones. One caller alone thus gets four
 * fifths of all places, two get four ninths each, and the next caller finds a free one.
 */
const HELD_PER_FREE = 4;
/** If there are at least this many places, the last free one goes only to a caller that holds none. */
const MIN_PLACES_TO_KEEP_ONE = 4;

export function createPlaces(count: number): Places {
  const held = new Map<string, number>();
  const kept = count >= MIN_PLACES_TO_KEEP_ONE ? 1 : 0;
  let free = count;
  const hasRoom = (caller: string) => {
    // This caller cannot hold more than all that are taken, so there is no need to look how many it holds.
    if (count - free < HELD_PER_FREE * free && free > kept) return true;
    const own = held.get(caller) ?? 0;
    return own === 0 ? free > 0 : own < HELD_PER_FREE * free && free > kept;
  };
  return {
    hasRoom,
    take(caller) {
      if (!hasRoom(caller)) return false;
      held.set(caller, (held.get(caller) ?? 0) + 1);
      free -= 1;
      return true;
    },
    give(caller) {
      const left = (held.get(caller) ?? 0) - 1;
      if (left > 0) held.set(caller, left);
      else held.delete(caller);
      free += 1;
    },
    isHeldBy: (caller) => held.has(caller),
    get taken() {
      return count - free;
    },
    get isFree() {
      return free > 0;
    },
    get hasMoreThanLast() {
      return free > kept;
    },
  };
}
