/** How long to wait before a worker is replaced. */
export interface RestartDelay {
  /** Notes the end of a worker that lived so long, and returns the wait. Unit: milliseconds. */
  after(livedMs: number): number;
}

/** A worker that ran at least this long did not fail at its start. Unit: milliseconds. */
const LONG_LIFE_MS = 30_000;
/** The wait after the second short life in a row; each further one doubles it. Unit: milliseconds. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** One for each worker and those that replace it. After the first short life there is no wait, because it may be the only one. */
export function createRestartDelay(): RestartDelay {
  let shortLives = 0;
  return {
    after(livedMs) {
      shortLives = livedMs < LONG_LIFE_MS ? shortLives + 1 : 0;
      return shortLives < 2
        ? 0
        : Math.min(FIRST_WAIT_MS * 2 ** (shortLives - 2), LONGEST_WAIT_MS);
    },
  };
}
