/** A trial asks for one page with a parameter, and judges by known items what the parameter did. */

/** What the number in a paging parameter counts: items, pages from one, or pages from zero. */
export const COUNTINGS = ['offset', 'page', 'page from zero'] as const;
export type Counting = (typeof COUNTINGS)[number];

/** What a parameter may lead to: the page after or before the item whose id it takes, or that of a number. */
export type Reading = 'after' | 'before' | Counting;

/** What an answer shows if no reading explains it. `first page`: as if the request had no paging parameter. */
export type Mismatch = 'first page' | 'including' | 'empty' | 'elsewhere';

/** Where a page begins. `at` is the index of the item whose id is sent, or the number that is sent. */
const STARTS: Record<Reading, (at: number, size: number) => number> = {
  after: (at) => at + 1,
  before: (at, size) => at - size,
  offset: (at) => at,
  page: (at, size) => (at - 1) * size,
  'page from zero': (at, size) => at * size,
};

/** The ids of an answer and of the known beginning of the list; an empty text is an item without a usable id. */
export interface Trial {
  readonly ids: readonly string[];
  readonly known: readonly string[];
  readonly at: number;
  /** How many items a page of this service has. */
  readonly size: number;
  /** The most items that may have come or gone since the known ones were read. Zero: the page must have just the items expected. */
  readonly tolerance: number;
}

/**
 * The index at which a page begins, counted from the known head of a list. Negative if it begins with new items: -2 for
 * two. `unknown`: none of the page's ids is known.
 */
export function startOf(
  ids: readonly string[],
  known: readonly string[],
): number | 'unknown' | 'empty' {
  if (ids.length === 0) return 'empty';
  for (const [offset, id] of ids.entries()) {
    const index = id === '' ? -1 : known.indexOf(id);
    if (index !== -1) return index - offset;
  }
  return 'unknown';
}

/** Whether the answer is the page that the reading leads to. */
export function fits(reading: Reading, trial: Trial): boolean {
  const { ids, known, at, size, tolerance } = trial;
  const expected = STARTS[reading](at, size);
  const start = startOf(ids, known);
  // After the last known item come unknown ones.
  if (typeof start !== 'number') {
    return expected >= known.length && (start === 'unknown' || reading !== 'after');
  }
  const takesId = reading === 'after' || reading === 'before';
  // A service that ignores the parameter returns the head of the list too.
  if (start <= 0 && takesId) return false;
  if (start <= 0 || tolerance === 0) {
    return start === expected && hasItemsFrom(start, trial);
  }
  const indexes = indexesOf(trial);
  const isOnSide =
    reading === 'after'
      ? indexes.every((index) => index > at)
      : reading !== 'before' || indexes.every((index) => index < at);
  return isOnSide && isRising(indexes) && Math.abs(start - expected) <= tolerance;
}

/** What an answer shows that fits no reading. `takesId`: whether the parameter was given an id. */
export function mismatchOf(trial: Trial, takesId: boolean): Mismatch {
  const start = startOf(trial.ids, trial.known);
  if (typeof start !== 'number') return start === 'empty' ? 'empty' : 'elsewhere';
  if (start <= 0) return 'first page';
  if (takesId && indexesOf(trial).includes(trial.at)) return 'including';
  // The list may have lost its head.
  return start === 1 ? 'first page' : 'elsewhere';
}

/** Whether these are the known items from an index on, one after another. */
const hasItemsFrom = (start: number, { ids, known }: Trial): boolean =>
  ids.every((id, index) => start + index >= known.length || id === known[start + index]);

const indexesOf = ({ ids, known }: Trial): readonly number[] =>
  ids.map((id) => known.indexOf(id)).filter((index) => index !== -1);

const isRising = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
