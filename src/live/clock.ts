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
