import { Stopped } from './errors.ts';

/** How fast the probe may send calls. */
export interface Pace {
  /** Pause before the next call. Unit: milliseconds. */
  readonly gapMs: number;
  /** The service accepted a call. */
  accepted(): void;
  /** The service answered 429. Returns how long to wait, in milliseconds; throws Stopped if that is too long. */
  limited(retryAfterSeconds: number | null): number;
}

/** Longest single wait. Unit: seconds. */
const MAX_WAIT = 10;
/** The probe stops at this many 429s, because the service needs its capacity for others. */
const MAX_LIMITED = 6;
const MIN_GAP_MS = 100;
const MAX_GAP_MS = 2000;
/** Makes calls a little slower than the accepted ones, because the service may count in another window. */
const MARGIN = 1.2;

/** No pauses until the first 429; after that, slower than the rate the service accepted. */
export function createPace(): Pace {
  let gapMs = 0;
  let acceptedCalls = 0;
  let limitedCalls = 0;
  return {
    get gapMs() {
      return gapMs;
    },
    accepted() {
      acceptedCalls += 1;
    },
    limited(retryAfterSeconds) {
      limitedCalls += 1;
      const seconds = retryAfterSeconds ?? 2 ** (limitedCalls - 1);
      if (seconds > MAX_WAIT || limitedCalls === MAX_LIMITED) {
        throw new Stopped(`the service limits calls (429, wait ${seconds} s)`);
      }
      const waitMs = Math.max(MIN_GAP_MS, seconds * 1000);
      const seenGapMs =
        acceptedCalls === 0 ? MIN_GAP_MS : (waitMs / acceptedCalls) * MARGIN;
      gapMs = Math.min(MAX_GAP_MS, Math.max(gapMs, seenGapMs));
      acceptedCalls = 0;
      return waitMs;
    },
  };
}
