import type { ByteQuota } from '../callers/shares.ts';
import { SMALL_BYTES } from '../rest/bytes.ts';
import type { Change } from './snapshot.ts';

/** If this many changes are unread when more come, the subscription is ended. */
const MAX_WAITING = 100;
/** In memory, at most. */
const BYTES_PER_CHARACTER = 2;

/** Why a subscription ended. `left`: its client left. `drained`: the gateway stops. `refused`: the service refuses its token. */
export type EndReason = 'left' | 'drained' | 'refused' | 'unwatchable' | 'overrun';

/** How a subscription ended. */
export interface End {
  readonly reason: EndReason;
  /** What the client reads last; null if it reads nothing more. */
  readonly error: unknown;
}

/**
 * The changes that wait for one subscriber. It iterates over them: the iterator ends when its client leaves, and throws
 * what ended it otherwise, after the changes that came before.
 */
export class Subscriber<T> implements AsyncIterableIterator<Change<T>> {
  /** How it ended; null while it goes on. */
  ended: End | null = null;
  #waiting: Change<T>[] = [];
  /** Of the changes that wait. Unit: characters of JSON. */
  #size = 0;
  readonly #quota: ByteQuota;
  readonly #share: string;
  /** Whether its changes say where it can go on later. */
  readonly isResumable: boolean;
  /** What they have reserved of it. Unit: bytes. */
  #held = 0;
  #wake: (() => void) | null = null;
  #onEnd: ((end: End) => void)[] = [];

  /** `quota`: where changes that wait count, but for the first 256 KiB of each subscription. `share`: that of its caller. */
  constructor(quota: ByteQuota, share: string, isResumable = false) {
    this.#quota = quota;
    this.#share = share;
    this.isResumable = isResumable;
  }

  /** Runs when the subscription has ended, at once if it has. */
  onEnd(listener: (end: End) => void): void {
    if (this.ended === null) this.#onEnd.push(listener);
    else listener(this.ended);
  }

  push(changes: readonly Change<T>[]): void {
    if (this.ended !== null || changes.length === 0) return;
    // One poll may bring more than that.
    const hasPlaces = this.#waiting.length < MAX_WAITING;
    for (const change of changes) {
      this.#waiting.push(change);
      this.#size += change.size;
    }
    if (hasPlaces && this.#reserve()) this.#wake?.();
    else this.end({ reason: 'overrun', error: null });
  }

  end(end: End): void {
    // Nothing more is read, also if an error has ended it before.
    if (end.error === null) {
      this.#waiting = [];
      this.#size = 0;
      this.#reserve();
    }
    if (this.ended !== null) return;
    this.ended = end;
    for (const listener of this.#onEnd) listener(end);
    this.#onEnd = [];
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<Change<T>, undefined>> {
    while (this.#waiting.length === 0 && this.ended === null) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    const change = this.#waiting.shift();
    if (change !== undefined) {
      this.#size -= change.size;
      this.#reserve();
      return { done: false, value: change };
    }
    const error = this.ended?.error ?? null;
    if (error === null) return { done: true, value: undefined };
    // Thrown once: the next call finds the end.
    this.ended = { reason: this.ended?.reason ?? 'left', error: null };
    throw error;
  }

  async return(): Promise<IteratorResult<Change<T>, undefined>> {
    this.end({ reason: 'left', error: null });
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Adjusts the reserved bytes to the changes that wait. Returns false if there is no room. */
  #reserve(): boolean {
    const needed = Math.max(0, BYTES_PER_CHARACTER * this.#size - SMALL_BYTES);
    const more = needed - this.#held;
    if (more < 0) this.#quota.release(this.#share, -more);
    else if (more > 0 && !this.#quota.reserve(this.#share, more)) return false;
    this.#held = needed;
    return true;
  }
}
