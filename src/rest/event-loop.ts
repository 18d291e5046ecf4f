/** What callers of `nextRound` share, until its first immediate has run; null after that. */
let next: Promise<void> | null = null;
/** The last turn that was given for long work. */
let last: Promise<void> = Promise.resolve();

/**
 * Waits for the next round of the event loop. An immediate alone may run in the same round, right after the requests that
 * were just read: those that arrive meanwhile would wait for the work before it and the work after it.
 */
export function nextRound(): Promise<void> {
  next ??= new Promise((resolve) => {
    setImmediate(() => {
      next = null;
      setImmediate(resolve);
    });
  });
  return next;
}

/**
 * Waits for a turn in which to do long work, such as parsing an answer of megabytes. No two turns are in one round of
 * the event loop, so others wait for one piece of long work at most.
 */
export function turnForLongWork(): Promise<void> {
  last = last.then(nextRound);
  return last;
}
