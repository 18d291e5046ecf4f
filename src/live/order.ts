import type { Item } from '../rest/list.ts';

/** A time of an item; null if it has none. Unit: the service's. */
export type TimeOf<T> = (value: T) => number | null;

/** Where a list has its newest items. Open point: order of lists. */
export type NewestEnd = 'head' | 'tail';

/** A few items may be out of order, because pinned ones come first. Of the steps between items of different times. */
const MOST_AGAINST = 1 / 8;

/**
 * At which end a list has its newest items, by the times of a part of it; null if none of the times is in order. The first
 * of `times` that is in order counts.
 */
export function newestEndOf<T>(
  items: readonly Item<T>[],
  times: readonly TimeOf<T>[],
): NewestEnd | null {
  for (const timeOf of times) {
    const end = endBy(items, timeOf);
    if (end !== null) return end;
  }
  return null;
}

function endBy<T>(items: readonly Item<T>[], timeOf: TimeOf<T>): NewestEnd | null {
  let rising = 0;
  let falling = 0;
  let last: number | null = null;
  for (const item of items) {
    const time = timeOfItem(item, timeOf);
    if (time === null) continue;
    if (last !== null && time > last) rising += 1;
    if (last !== null && time < last) falling += 1;
    last = time;
  }
  const steps = rising + falling;
  if (steps === 0) return null;
  if (rising <= steps * MOST_AGAINST) return 'head';
  return falling <= steps * MOST_AGAINST ? 'tail' : null;
}

/** Null for a malformed item, too. */
const timeOfItem = <T>({ value }: Item<T>, timeOf: TimeOf<T>): number | null =>
  value instanceof Error ? null : timeOf(value);

/** The time of the newest item; null if none has one. */
export function newestTime<T>(
  items: readonly Item<T>[],
  [timeOf]: readonly TimeOf<T>[],
): number | null {
  let newest: number | null = null;
  for (const item of items) {
    const time = timeOf === undefined ? null : timeOfItem(item, timeOf);
    if (time !== null && (newest === null || time > newest)) newest = time;
  }
  return newest;
}
