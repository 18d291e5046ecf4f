import { FairQueue } from '../rest/rounds.ts';
import { FairSlots } from '../rest/shares.ts';
import { LONGEST_TIMER_MS } from '../rest/time-limit.ts';

/**
 * Spreads the polls that follow writes over time: one write may touch the lists of a thousand tokens. Turns go round between
 * writers, so that the many polls after the writes of one delay no poll after the write of another. Polls at the next turn of
 * the writer; returns the function that gives the turn up.
 */
export type Turns = (writer: string, poll: () => Promise<void>) => () => void;

/** How many polls may begin in one moment. */
const BURST = 30;
/**
 * Each poll that began makes room for another after this time, one at a time. A poll of 100 messages, with the event of one
 * subscriber, takes 1 to 2 ms of processor time, so polls take about a quarter of one core; less while the process is busy,
 * because each of these timers allows one poll, however late it runs. Unit: milliseconds.
 */
const BETWEEN_POLLS_MS = 20 / 3;

/** `atOnce`: how many of these polls may run at the same time. One writer may have four fifths of them. */
export function createTurns(atOnce: number, clock: Clock): Turns {
  const slots = new FairSlots(atOnce);
  let left = BURST;
  const line = new FairQueue({
    hasRoomFor: (writer) => slots.hasRoomFor(writer),
    slotsOf: (writer) => slots.slotsOf(writer),
    acquire(writer) {
      if (!slots.acquire(writer)) return false;
      if (left === BURST) clock.after(BETWEEN_POLLS_MS, allowOne);
      left -= 1;
      return true;
    },
    get isFree() {
      return left > 0 && slots.isFree;
    },
  });
  function allowOne(): void {
    left += 1;
    if (left < BURST) clock.after(BETWEEN_POLLS_MS, allowOne);
    line.grant();
  }
  return (writer, poll) => {
    const caller = { share: writer, subgroup: null };
    const call = {
      caller,
      expires: Number.POSITIVE_INFINITY,
      async begin() {
        await poll();
        slots.release(caller);
        line.grant();
      },
    };
    line.add(call);
    line.grant();
    return () => line.remove(call);
  };
}

/** A list waits for the next turn of this many writers at most. */
const MOST_WRITERS = 8;

/** The writers that have touched one list since its last poll began. The list is polled at the first turn of any of them. */
export class Writers {
  readonly #turns: Turns;
  readonly #poll: () => Promise<void>;
  /** By writer, what gives its turn up; null: it does not wait yet. */
  readonly #writers = new Map<string, (() => void) | null>();
  #isWaiting = false;

  constructor(turns: Turns, poll: () => Promise<void>) {
    this.#turns = turns;
    this.#poll = poll;
  }

  get size(): number {
    return this.#writers.size;
  }

  add(writer: string): void {
    if (this.#writers.has(writer) || this.size === MOST_WRITERS) return;
    this.#writers.set(writer, null);
    if (this.#isWaiting) this.#waitFor(writer);
  }

  /** Waits for the turn of one of them, and of those that are added meanwhile. */
  wait(): void {
    this.#isWaiting = true;
    for (const writer of this.#writers.keys()) this.#waitFor(writer);
  }

  /** A poll has begun, or none will follow. */
  leave(): void {
    for (const giveUp of this.#writers.values()) giveUp?.();
    this.#writers.clear();
    this.#isWaiting = false;
  }

  #waitFor(writer: string): void {
    const giveUp = this.#turns(writer, this.#poll);
    // If it was the writer's turn, the poll has begun already, and has called `leave`.
    if (this.#isWaiting) this.#writers.set(writer, giveUp);
  }
}

/** The clock by which polls are timed; tests replace it. */
export interface Clock {
  /** Unit: milliseconds. */
  now(): number;
  /** Runs `step` after this time, in milliseconds; returns the function that prevents it. */
  after(ms: number, step: () => void): () => void;
}

export const REAL_CLOCK: Clock = {
  now: performance.now.bind(performance),
  after(ms, step) {
    // What waits longer, such as after a 429, is done early.
    const timer = setTimeout(step, Math.min(ms, LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
