import { Stopped } from './errors.ts';

/** How fast the probe may ask. */
interface Pace {
  /** Pause before the next call. Unit: milliseconds. */
  readonly gapMs: number;
  /** A call went through. */
  passed(): void;
  /** A call was answered 429; how long to wait, in milliseconds. Throws Stopped where that is too long. */
  held(retryAfterSeconds: number | null): number;
}

/** Longer than this the probe does not wait at a time. Unit: seconds. */
const LONGEST_WAIT = 10;
/** So often a service may say 429; then it has better things to do. */
const PATIENCE = 6;
const SHORTEST_GAP_MS = 100;
const LONGEST_GAP_MS = 2000;
/** A little slower than what went through: a window may be counted otherwise than we think. */
const MARGIN = 1.2;

/** As fast as answers come, until the service says 429; from then on no faster than what it let through. */
export function createPace(): Pace {
  let gapMs = 0;
  let through = 0;
  let helds = 0;
  return {
    get gapMs() {
      return gapMs;
    },
    passed() {
      through += 1;
    },
    held(retryAfterSeconds) {
      helds += 1;
      const seconds = retryAfterSeconds ?? 2 ** (helds - 1);
      if (seconds > LONGEST_WAIT || helds === PATIENCE) {
        throw new Stopped(`the service limits calls (429, wait ${seconds} s)`);
      }
      const waitMs = Math.max(SHORTEST_GAP_MS, seconds * 1000);
      const seen = through === 0 ? SHORTEST_GAP_MS : (waitMs / through) * MARGIN;
      gapMs = Math.min(LONGEST_GAP_MS, Math.max(gapMs, seen));
      through = 0;
      return waitMs;
    },
  };
}
