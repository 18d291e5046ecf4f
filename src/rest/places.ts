import type { Sharer } from './caller-id.ts';

/** Places that callers share, such as connections. All that is kept is how many each holds. */
export interface Places {
  /** Takes a place, and returns whether the caller may have one more. */
  take(caller: Sharer): boolean;
  /** Whether `take` would succeed. */
  hasRoom(caller: Sharer): boolean;
  /** Whether those with this name may have a place more. */
  hasRoomFor(share: string): boolean;
  /** What those with this name share. */
  within(share: string): Room;
  /** Gives back a place that the caller took. */
  give(caller: Sharer): void;
  /** Gives the place of one caller to another with the same share. */
  pass(from: Sharer, to: Sharer): void;
  readonly taken: number;
  /** Whether any place is free. */
  readonly isFree: boolean;
}

/** Who may have more. */
export type Room = Pick<Places, 'hasRoomFor' | 'within'>;

/**
 * A caller may take another place while it holds less than this many times the free ones. One caller alone thus gets four
 * fifths of all places, two get four ninths each, and the next caller finds a free one.
 */
const HELD_PER_FREE = 4;
/** If there are at least this many places, the last free one goes only to a caller that holds none. */
const MIN_PLACES_TO_KEEP_ONE = 4;

/** Those with one name together get what one caller gets, and share that in the same way. */
export const createPlaces = (count: number): Places => new Level(count);

/** Places, and how many are held under each name. */
class Level implements Places {
  taken = 0;
  readonly #count: number;
  readonly #kept: number;
  readonly #held = new Map<string, number>();
  /** Of the names that several have. */
  readonly #within = new Map<string, Level>();

  constructor(count: number) {
    this.#count = count;
    this.#kept = count >= MIN_PLACES_TO_KEEP_ONE ? 1 : 0;
  }

  get isFree(): boolean {
    return this.taken < this.#count;
  }

  hasRoom({ share, within }: Sharer): boolean {
    return (
      this.hasRoomFor(share) && (within === null || this.within(share).hasRoom(within))
    );
  }

  hasRoomFor(share: string): boolean {
    const free = this.#count - this.taken;
    // None can hold more than all that are taken, so there is no need to look how many it holds.
    if (this.taken < HELD_PER_FREE * free && free > this.#kept) return true;
    const own = this.#held.get(share) ?? 0;
    return own === 0 ? free > 0 : own < HELD_PER_FREE * free && free > this.#kept;
  }

  within(share: string): Level {
    return this.#within.get(share) ?? new Level(this.#mostOfOne);
  }

  take(caller: Sharer): boolean {
    const hasRoom = this.hasRoom(caller);
    if (hasRoom) this.#add(caller);
    return hasRoom;
  }

  pass(from: Sharer, to: Sharer): void {
    this.give(from);
    this.#add(to);
  }

  give({ share, within }: Sharer): void {
    const left = (this.#held.get(share) ?? 0) - 1;
    if (left > 0) this.#held.set(share, left);
    else this.#held.delete(share);
    this.taken -= 1;
    if (within === null) return;
    this.#within.get(share)?.give(within);
    if (left <= 0) this.#within.delete(share);
  }

  #add({ share, within }: Sharer): void {
    this.#held.set(share, (this.#held.get(share) ?? 0) + 1);
    this.taken += 1;
    if (within === null) return;
    const inner = this.within(share);
    this.#within.set(share, inner);
    inner.#add(within);
  }

  /** How many places one name alone gets. */
  get #mostOfOne(): number {
    const part = HELD_PER_FREE / (HELD_PER_FREE + 1);
    return Math.min(this.#count - this.#kept, Math.ceil(this.#count * part));
  }
}
