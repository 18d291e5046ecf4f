import type { Clock } from './clock.ts';

/** How many such looks may be made at once. */
const BURST = 50;
/** How fast more are allowed. Unit: looks a second. */
const PER_SECOND = 10;

/**
 * Limits the looks at lists that a write only perhaps touched: a conversation that somebody created may belong in any
 * list, and a look at each list after each creation would cost the service too much. The others see it at their next regular look.
 */
export function createGuesses({ now }: Pick<Clock, 'now'>): () => boolean {
  let left = BURST;
  let at = now();
  return () => {
    const time = now();
    left = Math.min(BURST, left + ((time - at) / 1000) * PER_SECOND);
    at = time;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
