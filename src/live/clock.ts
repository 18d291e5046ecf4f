import { LONGEST_TIMER_MS } from '../callers/time-limit.ts';

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
