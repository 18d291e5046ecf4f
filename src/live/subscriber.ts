import { OverrunError } from './errors.ts';
import type { Change } from './snapshot.ts';

/** If this many changes are unread when more come, the subscription is ended. */
const MAX_WAITING = 100;
/** The same if the unread changes together are larger than this. Unit: characters of JSON. */
const MAX_WAITING_SIZE = 16_777_216;

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
  #size = 0;
  #wake: (() => void) | null = null;
  #onEnd: ((end: End) => void)[] = [];

  /** Runs when the subscription has ended, at once if it has. */
  onEnd(listener: (end: End) => void): void {
    if (this.ended === null) this.#onEnd.push(listener);
    else listener(this.ended);
  }

  push(changes: readonly Change<T>[]): void {
    if (this.ended !== null || changes.length === 0) return;
    // What one poll brought may be more than that, and does not count before it could be read.
    if (this.#waiting.length >= MAX_WAITING || this.#size > MAX_WAITING_SIZE) {
      this.#waiting = [];
      this.end({ reason: 'overrun', error: new OverrunError() });
      return;
    }
    this.#waiting.push(...changes);
    for (const { size } of changes) this.#size += size;
    this.#wake?.();
  }

  end(end: End): void {
    if (this.ended !== null) return;
    this.ended = end;
    if (end.error === null) this.#waiting = [];
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
}
