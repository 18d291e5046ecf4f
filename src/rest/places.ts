import { type Sharer, STRANGERS } from './caller-id.ts';

/** Places that callers share, such as connections. All that is kept is how many each holds. */
export interface Places {
  /** Takes a place, and returns whether the caller may have one more. */
  take(caller: Sharer): boolean;
  /** Whether `take` would succeed. */
  hasRoom(caller: Sharer): boolean;
  /** Whether `take` could succeed for callers with this share. */
  hasRoomFor(share: string): boolean;
  /** Gives back a place that the caller took. */
  give(caller: Sharer): void;
  readonly taken: number;
  /** Whether any place is free. */
  readonly isFree: boolean;
}

/**
 * A caller may take another place while it holds less than this many times the free ones. One caller alone thus gets four
 * fifths of all places, two get four ninths each, and the next caller finds a free one.
 */
const HELD_PER_FREE = 4;
/** If there are at least this many places, the last free one goes only to a caller that holds none. */
const MIN_PLACES_TO_KEEP_ONE = 4;

/** Strangers together get what one caller gets, and share that in the same way. */
export function createPlaces(count: number): Places {
  const all = new Level(count);
  const ofStrangers = new Level(mostOfOne(count));
  const hasRoom = ({ share, token }: Sharer) =>
    all.hasRoom(share) && (share !== STRANGERS || ofStrangers.hasRoom(token));
  return {
    hasRoom,
    hasRoomFor: (share) => all.hasRoom(share),
    take(caller) {
      if (!hasRoom(caller)) return false;
      all.take(caller.share);
      if (caller.share === STRANGERS) ofStrangers.take(caller.token);
      return true;
    },
    give({ share, token }) {
      all.give(share);
      if (share === STRANGERS) ofStrangers.give(token);
    },
    get taken() {
      return all.taken;
    },
    get isFree() {
      return all.taken < count;
    },
  };
}

const keptOf = (count: number): number => (count >= MIN_PLACES_TO_KEEP_ONE ? 1 : 0);

/** How many places one caller alone gets. */
const mostOfOne = (count: number): number =>
  Math.min(
    count - keptOf(count),
    Math.ceil((count * HELD_PER_FREE) / (HELD_PER_FREE + 1)),
  );

/** Places, and how many are held under each name. */
class Level {
  taken = 0;
  readonly #count: number;
  readonly #kept: number;
  readonly #held = new Map<string, number>();

  constructor(count: number) {
    this.#count = count;
    this.#kept = keptOf(count);
  }

  hasRoom(name: string): boolean {
    const free = this.#count - this.taken;
    // None can hold more than all that are taken, so there is no need to look how many it holds.
    if (this.taken < HELD_PER_FREE * free && free > this.#kept) return true;
    const own = this.#held.get(name) ?? 0;
    return own === 0 ? free > 0 : own < HELD_PER_FREE * free && free > this.#kept;
  }

  take(name: string): void {
    this.#held.set(name, (this.#held.get(name) ?? 0) + 1);
    this.taken += 1;
  }

  give(name: string): void {
    const left = (this.#held.get(name) ?? 0) - 1;
    if (left > 0) this.#held.set(name, left);
    else this.#held.delete(name);
    this.taken -= 1;
  }
}
