import type { ShareKey } from './caller-id.ts';
import type { FairSlots } from './shares.ts';

/** Says which names may have their turn. */
type Room = Pick<FairSlots, 'hasRoomFor'> & { slotsOf(name: string): Room };

const ALL_MAY: Room = { hasRoomFor: () => true, slotsOf: () => ALL_MAY };

function first<T>(items: Iterable<T>): T | null {
  for (const item of items) return item;
  return null;
}

/**
 * A round-robin queue: each caller has one turn in a round, so that one caller's long queue delays no other. Callers with the
 * same name share one turn, and use it alternately. The items of one caller keep their order.
 */
export class Rounds<T> {
  /** By name, in the order of the next turns. */
  readonly #names = new Map<string, Set<T> | Rounds<T>>();
  /** By name, the items that have their turn before all others of that name. */
  readonly #first = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(key: ShareKey, item: T): void {
    const own = this.#of(key);
    if (own instanceof Set) own.add(item);
    else if (key.subgroup !== null) own.add(key.subgroup, item);
    this.#size += 1;
  }

  /**
   * Puts the item before its share's items from `add`, and after earlier ones added here; `isNext`: before these, too. It
   * cannot be removed.
   */
  addFirst(key: ShareKey, item: T, isNext: boolean): void {
    this.#of(key);
    const first = this.#first.get(key.share) ?? [];
    this.#first.set(key.share, first);
    if (isNext) first.unshift(item);
    else first.push(item);
    this.#size += 1;
  }

  #of({ share, subgroup }: ShareKey): Set<T> | Rounds<T> {
    const own = this.#names.get(share) ?? (subgroup === null ? new Set() : new Rounds());
    this.#names.set(share, own);
    return own;
  }

  remove({ share, subgroup }: ShareKey, item: T): void {
    const own = this.#names.get(share);
    if (own === undefined) return;
    const before = own.size;
    if (own instanceof Set) own.delete(item);
    else if (subgroup !== null) own.remove(subgroup, item);
    this.#size -= before - own.size;
    if (own.size === 0 && !this.#first.has(share)) this.#names.delete(share);
  }

  /**
   * Takes out the next item that may have its turn; null if there is none. `room` says which names may have one, for items from
   * `add`; `choose` picks one of a caller's items, or null.
   */
  take(choose: (items: Iterable<T>) => T | null = first, room: Room = ALL_MAY): T | null {
    for (const [name, own] of this.#names) {
      const item = this.#takeFirst(name) ?? this.#takeFrom(name, own, choose, room);
      if (item === null) continue;
      this.#size -= 1;
      // The next turn of this name comes after those of the others.
      this.#names.delete(name);
      if (own.size > 0 || this.#first.has(name)) this.#names.set(name, own);
      return item;
    }
    return null;
  }

  #takeFrom(
    name: string,
    own: Set<T> | Rounds<T>,
    choose: (items: Iterable<T>) => T | null,
    room: Room,
  ): T | null {
    if (!room.hasRoomFor(name)) return null;
    if (!(own instanceof Set)) return own.take(choose, room.slotsOf(name));
    const item = choose(own);
    if (item !== null) own.delete(item);
    return item;
  }

  #takeFirst(name: string): T | null {
    const items = this.#first.get(name);
    const item = items?.shift() ?? null;
    if (items?.length === 0) this.#first.delete(name);
    return item;
  }

  /**
   * The waiting item that a new one of this caller replaces; null: none. Callers that share a name form groups: strangers by
   * network, then by token. The largest other group loses its newest item, from its largest token, if it keeps at least as many
   * as the caller's group then has; otherwise the same is asked within the caller's group.
   */
  whoGivesWayTo({ share, subgroup }: ShareKey): T | null {
    const own = this.#names.get(share);
    return subgroup === null || !(own instanceof Rounds)
      ? null
      : own.#newestOfLargest(subgroup);
  }

  /** `needy`: who needs room; null: it has none of these names. */
  #newestOfLargest(needy: ShareKey | null): T | null {
    let most: Set<T> | Rounds<T> | null = null;
    let size = needy === null ? 0 : (this.#names.get(needy.share)?.size ?? 0) + 1;
    for (const own of this.#names.values()) {
      if (own.size <= size) continue;
      most = own;
      size = own.size;
    }
    if (most instanceof Rounds) return most.#newestOfLargest(null);
    if (most !== null) return [...most].at(-1) ?? null;
    return needy === null ? null : this.whoGivesWayTo(needy);
  }
}

/** A call that waits for a slot. */
export interface QueuedCall {
  readonly caller: ShareKey;
  /** When its time to wait is up, on the clock of `performance.now()`. It begins no later. Unit: milliseconds. */
  readonly expires: number;
  /** Runs at its turn, with a slot taken for it. */
  begin(): void;
}

/** Gives slots to calls that wait, in turns of their callers. */
export class FairQueue<T extends QueuedCall> {
  readonly #slots: Pick<FairSlots, 'acquire' | 'isFree'> & Room;
  readonly #waiting = new Rounds<T>();

  constructor(slots: Pick<FairSlots, 'acquire' | 'isFree'> & Room) {
    this.#slots = slots;
  }

  add(call: T): void {
    this.#waiting.add(call.caller, call);
  }

  /** The call does not wait any more. */
  remove(call: T): void {
    this.#waiting.remove(call.caller, call);
  }

  /** The call that has to make room for one more of this caller, see Rounds; null if there is none. */
  whoGivesWayTo(caller: ShareKey): T | null {
    return this.#waiting.whoGivesWayTo(caller);
  }

  /**
   * Begins calls while slots are free. Call it after slots were released. `giver`: who released, if it was one slot since the
   * last time; null: perhaps several.
   */
  grant(giver: ShareKey | null = null): void {
    const slots = this.#slots;
    if (this.#waiting.size === 0) return;
    const now = performance.now();
    /** The first call whose time is not up, with a slot. The timers of the others are about to end them. */
    const choose = (calls: Iterable<T>): T | null => {
      for (const call of calls)
        if (call.expires > now) return slots.acquire(call.caller) ? call : null;
      return null;
    };
    while (slots.isFree) {
      const call = this.#waiting.take(choose, slots);
      if (call === null) break;
      call.begin();
      // Only the giver may take one slot more: searching all other waiting callers would find nothing.
      if (giver !== null && !slots.hasRoomFor(giver.share)) break;
    }
  }
}
