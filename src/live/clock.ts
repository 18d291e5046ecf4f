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
    const timer = setTimeout(step, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
