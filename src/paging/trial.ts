import type { Asked, NoPage } from './reader.ts';
import { createUnknownId } from './unknown-id.ts';

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

/** A page of a list; an empty text is an item without a usable id. */
export interface TrialPage {
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

type ReadTrialPage = (window: Asked) => Promise<TrialPage | NoPage>;

/** The beginning of a list as it was read a moment ago, and how far a page may differ from it. */
export interface KnownHead {
  readonly known: readonly string[];
  /** The most items that may have come or gone since then. Zero: the page must have just the items expected. */
  readonly tolerance: number;
  /** Whether the service may use a page size of its own. */
  readonly isAnySize: boolean;
}

/** One value for a parameter, and what the parameter may lead to. */
export interface Question {
  readonly param: string;
  /** The index of the known item whose id is sent, or the number that is sent. */
  readonly at: number;
  readonly limit: number;
  readonly readings: readonly Reading[];
}

/** Reads one page with a parameter; returns the readings that explain the page, or why none does. */
export async function tryParameter(
  read: ReadTrialPage,
  head: KnownHead,
  { param, at, limit, readings }: Question,
): Promise<readonly Reading[] | Mismatch | NoPage> {
  const value = readings.some(takesId) ? (head.known[at] ?? '') : at;
  if (value === '') return 'trouble';
  const page = await read({ limit, [param]: value });
  if (typeof page === 'string') return page;
  const { ids, hasMore } = page;
  const size = head.isAnySize && hasMore ? ids.length : limit;
  const trial = { ...head, ids, at, size };
  const found = readings.filter((reading) => fits(reading, trial));
  return found.length > 0 ? found : mismatchOf(trial, readings.some(takesId));
}

/** What a parameter does with an id that no item has. */
export async function tryUnknownId(
  read: ReadTrialPage,
  head: KnownHead,
  { param, limit }: Pick<Question, 'param' | 'limit'>,
): Promise<Mismatch | NoPage> {
  const page = await read({ limit, [param]: createUnknownId(head.known) });
  if (typeof page === 'string') return page;
  return mismatchOf({ ...head, ids: page.ids, at: -1, size: limit }, false);
}

export const takesId = (reading: Reading): boolean =>
  reading === 'after' || reading === 'before';

interface TriedPage extends KnownHead {
  readonly ids: readonly string[];
  readonly at: number;
  /** How many items a page of this service has. */
  readonly size: number;
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
function fits(reading: Reading, trial: TriedPage): boolean {
  const { ids, known, at, size, tolerance } = trial;
  const expected = STARTS[reading](at, size);
  const start = startOf(ids, known);
  // After the last known item come unknown ones.
  if (typeof start !== 'number') {
    return expected >= known.length && (start === 'unknown' || reading !== 'after');
  }
  // A service that ignores the parameter returns the head of the list too.
  if (start <= 0 && takesId(reading)) return false;
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

/** What an answer shows that fits no reading. `isById`: whether the parameter was given an id. */
function mismatchOf(trial: TriedPage, isById: boolean): Mismatch {
  const { ids, known, at, tolerance } = trial;
  const start = startOf(ids, known);
  if (typeof start !== 'number') return start === 'empty' ? 'empty' : 'elsewhere';
  // The list may have got a new head.
  if (start === 0 || (start < 0 && tolerance > 0)) return 'first page';
  if (isById && indexesOf(trial).includes(at)) return 'including';
  // It may have lost its head.
  return start === 1 && tolerance > 0 ? 'first page' : 'elsewhere';
}

/** Whether these are the known items from an index on, one after another, and as many as a page has. */
const hasItemsFrom = (start: number, { ids, known, size }: TriedPage): boolean =>
  ids.length >= Math.min(size, known.length - start) &&
  ids.every((id, index) => start + index >= known.length || id === known[start + index]);

const indexesOf = ({ ids, known }: TriedPage): readonly number[] =>
  ids.map((id) => known.indexOf(id)).filter((index) => index !== -1);

const isRising = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
