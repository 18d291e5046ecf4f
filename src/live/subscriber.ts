import type { SharedBytes } from '../callers/shares.ts';
import type { Change } from './snapshot.ts';

/** If this many changes are unread when more come, the subscription is ended. */
const MAX_WAITING = 100;
/** A change takes room of its caller's share if it is larger than this. Most are not. Unit: characters of JSON. */
const SMALL_CHANGE = 2048;

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
  readonly #room: SharedBytes;
  readonly #share: string;
  #wake: (() => void) | null = null;
  #onEnd: ((end: End) => void)[] = [];

  /** `room`: of all changes that wait; `share`: the caller's. */
  constructor(room: SharedBytes, share: string) {
    this.#room = room;
    this.#share = share;
  }

  /** Runs when the subscription has ended, at once if it has. */
  onEnd(listener: (end: End) => void): void {
    if (this.ended === null) this.#onEnd.push(listener);
    else listener(this.ended);
  }

  push(changes: readonly Change<T>[]): void {
    if (this.ended !== null || changes.length === 0) return;
    // What one poll brought may be more than that, and does not count before it could be read.
    const hasRoom = this.#waiting.length < MAX_WAITING;
    if (hasRoom && changes.every((change) => this.#keep(change))) this.#wake?.();
    else this.end({ reason: 'overrun', error: null });
  }

  end(end: End): void {
    // Nothing more is read, also if an error has ended it before.
    if (end.error === null) {
      for (const change of this.#waiting) this.#release(change);
      this.#waiting = [];
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
      this.#release(change);
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

  /** Returns false if there is no room. */
  #keep(change: Change<T>): boolean {
    const { size } = change;
    const hasRoom = size <= SMALL_CHANGE || this.#room.reserve(change, this.#share, size);
    if (hasRoom) this.#waiting.push(change);
    return hasRoom;
  }

  #release(change: Change<T>): void {
    if (change.size > SMALL_CHANGE) this.#room.release(change, this.#share);
  }
}
