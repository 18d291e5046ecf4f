import { createPlaces } from '../rest/places.ts';
import { createRoundRobin } from '../rest/round-robin.ts';

/**
 * Spreads the looks that follow writes over time: one write may touch the lists of a thousand tokens. Turns go round between
 * writers, so that the many looks after the writes of one delay no look after the write of another.
 */
export interface Turns {
  /** Looks at the next turn of a writer. Returns the function that gives the turn up. */
  wait(writer: string, look: () => Promise<void>): () => void;
}

/** How many looks may begin in one moment. */
const BURST = 30;
/**
 * What was begun comes back one look at a time, each this long after the other. A look at 100 messages, with the event of one
 * subscriber, takes 1 to 2 ms of processor time, so looks take about a quarter of one core; less while the process is busy,
 * because each of these timers allows one look, however late it runs. Unit: milliseconds.
 */
const BETWEEN_LOOKS_MS = 20 / 3;

/** `atOnce`: how many of these looks may run at the same time. One writer may have four fifths of them. */
export function createTurns(atOnce: number, clock: Clock): Turns {
  const places = createPlaces(atOnce);
  let left = BURST;
  const line = createRoundRobin({
    hasRoomFor: (writer) => places.hasRoomFor(writer),
    within: (writer) => places.within(writer),
    take(writer) {
      if (!places.take(writer)) return false;
      if (left === BURST) clock.after(BETWEEN_LOOKS_MS, allowOne);
      left -= 1;
      return true;
    },
    get isFree() {
      return left > 0 && places.isFree;
    },
  });
  function allowOne(): void {
    left += 1;
    if (left < BURST) clock.after(BETWEEN_LOOKS_MS, allowOne);
    line.grant();
  }
  return {
    wait(writer, look) {
      const caller = { share: writer, within: null };
      const call = {
        caller,
        expires: Number.POSITIVE_INFINITY,
        async begin() {
          await look();
          places.give(caller);
          line.grant();
        },
      };
      line.add(call);
      line.grant();
      return () => line.remove(call);
    },
  };
}

/** The clock by which looks are timed; tests replace it. */
export interface Clock {
  /** Unit: milliseconds. */
  now(): number;
  /** Runs `step` after this time, in milliseconds; returns the function that prevents it. */
  after(ms: number, step: () => void): () => void;
}

/** Node runs a longer timer at once. Whatever waits longer, such as after a 429, is done early. Unit: milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const REAL_CLOCK: Clock = {
  now: performance.now.bind(performance),
  after(ms, step) {
    const timer = setTimeout(step, Math.min(ms, LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
