/** Looks are never rarer than this, unless LIVE_POLL_MS is. Unit: milliseconds. */
const LONGEST_MS = 15_000;
/** How much rarer looks become after each that found nothing. */
const GROWTH = 1.5;
/** Rare looks come up to this part early, so that the watches that began together do not look together for ever. */
const SPREAD = 0.1;

/** How long a watch waits between two looks. Unit: milliseconds. */
export interface Pace {
  /** Something happens: look often again. */
  quicken(): void;
  /** Nothing changed, or the look failed. */
  slow(): void;
  next(): number;
}

export function createPace(pollMs: number, random = Math.random): Pace {
  const longest = Math.max(LONGEST_MS, pollMs);
  let distance = pollMs;
  return {
    quicken() {
      distance = pollMs;
    },
    slow() {
      distance = Math.min(distance * GROWTH, longest);
    },
    next: () => Math.max(pollMs, distance * (1 - SPREAD * random())),
  };
}
