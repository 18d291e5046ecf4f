/** The promise that calls of `nextRound` share; null once its first immediate has run. */
let nextShared: Promise<void> | null = null;

/**
 * Waits for the next round of the event loop, by two immediates: the first may still run in the round in which requests were
 * just read, and those that arrive meanwhile would wait for the work of both.
 */
export function nextRound(): Promise<void> {
  nextShared ??= new Promise((resolve) => {
    setImmediate(() => {
      nextShared = null;
      setImmediate(resolve);
    });
  });
  return nextShared;
}

/** The last turn that was given for long work. */
let lastLong: Promise<void> = Promise.resolve();

/**
 * Waits for a turn in which to do long work, such as parsing an answer of megabytes. No two turns are in one round of
 * the event loop, so others wait for one piece of long work at most.
 */
export function turnForLongWork(): Promise<void> {
  lastLong = lastLong.then(nextRound);
  return lastLong;
}
