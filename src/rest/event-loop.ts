import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * Waits for a turn in which to do long work, such as parsing an answer of megabytes. There is one turn in each round of
 * the event loop, so others wait for one piece of long work at most.
 */
export function turn(): Promise<void> {
  last = last.then(() => yieldToEventLoop());
  return last;
}
