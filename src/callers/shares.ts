import type { ShareKey } from './caller-id.ts';

/** How much is held, all together and under each name. */
export class Held {
  total = 0;
  /** Only names that hold something. */
  readonly #byName = new Map<string, number>();

  /** One of the names that hold something; undefined if none does. */
  get anyName(): string | undefined {
    return this.#byName.keys().next().value;
  }

  /** The name that holds the most; undefined if none holds anything. */
  get largest(): string | undefined {
    let largest: string | undefined;
    for (const [name, own] of this.#byName)
      if (largest === undefined || own > this.of(largest)) largest = name;
    return largest;
  }

  of(name: string): number {
    return this.#byName.get(name) ?? 0;
  }

  /** Returns how much this name holds now. `change`: negative for what is given back. */
  add(name: string, change: number): number {
    const own = this.of(name) + change;
    if (own > 0) this.#byName.set(name, own);
    else this.#byName.delete(name);
    this.total += change;
    return own;
  }
}

/** Unit: bytes. */
export interface QuotaBounds {
  /** What all hold together. */
  readonly inAll: number;
  readonly oneCaller: number;
}

/** The bytes that the running operations hold: all, and those under each name. */
export class ByteQuota {
  readonly #bounds: QuotaBounds;
  readonly #held = new Held();

  constructor(bounds: QuotaBounds) {
    this.#bounds = bounds;
  }

  /** `share`: see CallerId. Returns false if there is no room. */
  reserve(share: string, bytes: number): boolean {
    const held = this.#held;
    const { inAll, oneCaller } = this.#bounds;
    if (held.total + bytes > inAll || held.of(share) + bytes > oneCaller) return false;
    held.add(share, bytes);
    return true;
  }

  release(share: string, bytes: number): void {
    this.#held.add(share, -bytes);
  }

  /** Charges one caller's reserved bytes to another from now on, even above that one's bound. */
  pass(from: string, to: string, bytes: number): void {
    this.#held.add(from, -bytes);
    this.#held.add(to, bytes);
  }
}

interface SharedThing {
  readonly bytes: number;
  /** The share for which it counts: one of the holders. */
  payer: string;
  /** How often each share holds it. */
  readonly holders: Held;
}

/** Bytes of things that several operations may hold, such as a repeated document. Each counts once, while anybody holds it. */
export class SharedBytes {
  readonly #quota: ByteQuota;
  readonly #things = new Map<object, SharedThing>();

  constructor(quota: ByteQuota) {
    this.#quota = quota;
  }

  /** Returns false if it is not counted yet, and there is no room. */
  reserve(thing: object, share: string, bytes: number): boolean {
    let shared = this.#things.get(thing);
    if (shared === undefined) {
      if (!this.#quota.reserve(share, bytes)) return false;
      shared = { bytes, payer: share, holders: new Held() };
      this.#things.set(thing, shared);
    }
    shared.holders.add(share, 1);
    return true;
  }

  release(thing: object, share: string): void {
    const shared = this.#things.get(thing);
    if (shared === undefined) return;
    const { bytes, payer, holders } = shared;
    if (holders.add(share, -1) > 0 || share !== payer) return;
    const next = holders.anyName;
    if (next === undefined) {
      this.#things.delete(thing);
      this.#quota.release(payer, bytes);
    } else {
      shared.payer = next;
      this.#quota.pass(payer, next, bytes);
    }
  }
}

/**
 * A caller may take another slot while it holds less than this many times the free ones. One caller alone thus gets four
 * fifths of all slots, two get four ninths each, and the next caller finds a free one.
 */
const HELD_PER_FREE = 4;
/** If there are at least this many slots, the last free one goes only to a caller that holds none. */
const MIN_SLOTS_TO_KEEP_ONE = 4;

/**
 * Slots that callers share, such as connections. All that is kept is how many each holds. Those with one name together get
 * what one caller gets, and share that in the same way.
 */
export class FairSlots {
  readonly #count: number;
  readonly #kept: number;
  readonly #held = new Held();
  /** The slots that callers with one name share, for each name that several have. */
  readonly #byName = new Map<string, FairSlots>();

  constructor(count: number) {
    this.#count = count;
    this.#kept = count >= MIN_SLOTS_TO_KEEP_ONE ? 1 : 0;
  }

  get taken(): number {
    return this.#held.total;
  }

  /** Whether any slot is free. */
  get isFree(): boolean {
    return this.taken < this.#count;
  }

  /** Whether `acquire` would succeed. */
  hasRoom({ share, subgroup }: ShareKey): boolean {
    return (
      this.hasRoomFor(share) &&
      (subgroup === null || this.slotsOf(share).hasRoom(subgroup))
    );
  }

  /** Whether those with this name may have a slot more. */
  hasRoomFor(share: string): boolean {
    const { taken } = this;
    const free = this.#count - taken;
    // None can hold more than all that are taken, so there is no need to look how many it holds.
    if (taken < HELD_PER_FREE * free && free > this.#kept) return true;
    const own = this.#held.of(share);
    return own === 0 ? free > 0 : own < HELD_PER_FREE * free && free > this.#kept;
  }

  /** The slots that the callers with this name share. */
  slotsOf(share: string): FairSlots {
    return this.#byName.get(share) ?? new FairSlots(this.#mostOfOne);
  }

  /** Takes a slot; returns false if the caller may have no more. */
  acquire(caller: ShareKey): boolean {
    const hasRoom = this.hasRoom(caller);
    if (hasRoom) this.#add(caller);
    return hasRoom;
  }

  /** Gives back a slot that the caller took. */
  release({ share, subgroup }: ShareKey): void {
    const left = this.#held.add(share, -1);
    if (subgroup === null) return;
    this.#byName.get(share)?.release(subgroup);
    if (left <= 0) this.#byName.delete(share);
  }

  /** Gives the slot of one caller to another with the same share. */
  pass(from: ShareKey, to: ShareKey): void {
    this.release(from);
    this.#add(to);
  }

  #add({ share, subgroup }: ShareKey): void {
    this.#held.add(share, 1);
    if (subgroup === null) return;
    const inner = this.slotsOf(share);
    this.#byName.set(share, inner);
    inner.#add(subgroup);
  }

  /** How many slots one name alone gets. */
  get #mostOfOne(): number {
    const part = HELD_PER_FREE / (HELD_PER_FREE + 1);
    return Math.min(this.#count - this.#kept, Math.ceil(this.#count * part));
  }
}
