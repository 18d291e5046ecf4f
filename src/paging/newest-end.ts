import { type Item, type TimeOf, timeOfItem } from '../rest/list.ts';

/** Where a list has its newest items. Open point: order of lists. */
export type NewestEnd = 'head' | 'tail';

/** `mixed`: the items are in neither order. `unclear`: their times do not differ, or they have none. */
type SeenOrder = NewestEnd | 'mixed' | 'unclear';

/** The part of the steps between items of different times that may go against the order: pinned items may come first. */
const MOST_AGAINST = 1 / 8;

/** At which end a list has its newest items, by a part of it: the first of `times` that is in order counts. */
export function orderOf<T>(
  items: readonly Item<T>[],
  times: readonly TimeOf<T>[],
): SeenOrder {
  let order: SeenOrder = 'unclear';
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
    const most = (rising + falling) * MOST_AGAINST;
    if (rising + falling === 0) continue;
    if (rising <= most) return 'head';
    if (falling <= most) return 'tail';
    order = 'mixed';
  }
  return order;
}
