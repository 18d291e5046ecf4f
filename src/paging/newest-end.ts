import { type Item, type TimeOf, timeOfItem } from '../rest/list.ts';

/** Where a list has its newest items. Open point: order of lists. */
export type NewestEnd = 'head' | 'tail';

/** What a part of a list shows of its order. */
export interface SeenOrder {
  /** `mixed`: the items are in neither order. `unclear`: their times do not differ, or they have none. */
  readonly order: NewestEnd | 'mixed' | 'unclear';
  /** How many times it rises or falls from one item to the next. */
  readonly steps: number;
}

/** The part of the steps between items of different times that may go against the order: pinned items may come first. */
const MOST_AGAINST = 1 / 8;

/** At which end a list has its newest items, by a part of it: the first of `times` that is in order counts. */
export function orderOf<T>(
  items: readonly Item<T>[],
  times: readonly TimeOf<T>[],
): SeenOrder {
  let seen: SeenOrder = { order: 'unclear', steps: 0 };
  for (const timeOf of times) {
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
    if (steps === 0) continue;
    if (rising <= steps * MOST_AGAINST) return { order: 'head', steps };
    if (falling <= steps * MOST_AGAINST) return { order: 'tail', steps };
    seen = { order: 'mixed', steps };
  }
  return seen;
}
