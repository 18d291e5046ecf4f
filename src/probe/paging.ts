import type { NoPage } from '../paging/reader.ts';
import {
  COUNTINGS,
  type Counting,
  type Mismatch,
  type Question,
  type Reading,
  takesId,
} from '../paging/trial.ts';
import { type KnownList, LONG_LIST, type UnknownCursor } from './known-list.ts';

/** A parameter to try, and what it may lead to. */
type Candidate = Pick<Question, 'param' | 'readings'>;

/** The parameter for the next page. It takes an item's id, or a number that counts. */
export interface NextParameter {
  readonly name: string;
  readonly style: 'starting_after' | Counting;
}

/** One name, and what it did as a parameter: a reading that explains every page, or why none does. */
export interface Tried {
  readonly name: string;
  readonly outcome: Reading | Mismatch | NoPage;
}

/** What the search has found so far. It grows step by step, so that a probe that ends early can report it. */
export class PagingStudy {
  readonly tried: Tried[] = [];
  next: NextParameter | null = null;
  /** Whether the list was long enough to see where the pages begin. */
  isSure = false;
  /** Whether the search for the next page is complete. */
  isSearched = false;
  /** Whether items disappeared during a search that found nothing: it may have tried names with their ids. */
  hasLostItems = false;
  /** Whether the parameter works in the other list too; null if unknown. */
  worksInOtherList: boolean | null = null;
  unknownCursor: UnknownCursor | null = null;
  backParam: string | null = null;
}

/** With fewer known items, the next page may look like another part of the list. */
const MIN_SURE_ITEMS = 3;
/** In a shorter list, the parameter cannot be checked, and no item has known items on both sides that are not on the first page. */
export const MIN_ITEMS = 4;
/** All anchors are among this many items at the head of the list. */
const ANCHORS = 7;
/** Any other outcome may come from a list that has shifted. */
const CLEAR: readonly string[] = [
  'first page',
  'refused',
  'trouble',
  'after',
  ...COUNTINGS,
];

/** Open point: pagination parameter. Fills the study, from the longest list and from the other one. */
export async function studyPaging(
  study: PagingStudy,
  known: KnownList,
  other?: KnownList,
): Promise<void> {
  const anchors = known.ids.slice(0, ANCHORS);
  study.isSure = known.ids.length >= MIN_SURE_ITEMS;
  study.next = await findNext(known, CANDIDATES, study.tried);
  study.isSearched = true;
  if (study.next === null) {
    await known.refresh();
    study.hasLostItems = !anchors.every((id) => known.ids.includes(id));
    return;
  }
  const { name, style } = study.next;
  if (other !== undefined) study.worksInOtherList = await worksIn(other, study.next);
  if (style !== 'starting_after') return;
  study.unknownCursor = await known.tryUnknownId(name);
  study.backParam = await findBack(known, name, study.tried);
}

/** Tries one name after another until one leads to the next page; adds what each did to `tried`. */
export async function findNext(
  known: KnownList,
  candidates: readonly Candidate[],
  tried: Tried[] = [],
): Promise<NextParameter | null> {
  for (const candidate of candidates) {
    const { param: name } = candidate;
    let outcome = await tryName(known, candidate);
    if (!CLEAR.includes(outcome)) {
      await known.refresh();
      outcome = await tryName(known, candidate);
    }
    tried.push({ name, outcome });
    if (outcome === 'after') return { name, style: 'starting_after' };
    const style = COUNTINGS.find((counting) => counting === outcome);
    if (style !== undefined) return { name, style };
  }
  return null;
}

/** Whether the parameter does the same in another list; null if that list is too short, or there is no readable answer. */
async function worksIn(
  known: KnownList,
  { name: param, style }: NextParameter,
): Promise<boolean | null> {
  await known.refresh();
  if (known.ids.length < MIN_ITEMS) return null;
  const readings = [style === 'starting_after' ? 'after' : style] as const;
  const { at, limit } = samplesFor(known.ids.length, readings)[0] as TriedValue;
  const purpose = `does "${param}" lead to another page of ${known.route}?`;
  const found = await known.try({ param, readings, at, limit }, purpose);
  return found === 'trouble' ? null : Array.isArray(found);
}

/** The parameter for the previous page; null if no name works. */
async function findBack(
  known: KnownList,
  forward: string,
  tried: readonly Tried[],
): Promise<string | null> {
  const found = tried.find(({ outcome }) => outcome === 'before');
  if (found !== undefined) return found.name;
  if (known.ids.length < MIN_ITEMS - 1) return null;
  // The partner of the forward name first.
  const partners = PAIRS.filter((pair) => pair.includes(forward)).flat();
  const names = new Set([...partners, ...PAIRS.map(([, back]) => back), ...BACK_NAMES]);
  for (const { name } of tried) names.delete(name);
  for (const param of names) {
    if ((await tryName(known, { param, readings: ['before'] })) === 'before')
      return param;
  }
  return null;
}

/** One value for the parameter, an item's index or a number, and the number of items to request. */
type TriedValue = Pick<Question, 'at' | 'limit'>;

const at = (value: number, limit: number): TriedValue => ({ at: value, limit });

/** From this index on, a page of two before the previous item is not the first page. */
const ROOM_FOR_TWO = 4;

/** Samples for which each reading predicts another page; of numbers, the first one changes the page under all readings. */
function samplesFor(length: number, readings: readonly Reading[]): readonly TriedValue[] {
  if (!readings.some(takesId)) {
    if (length >= LONG_LIST) return [at(5, 3), at(3, 5)];
    return length >= 7 ? [at(3, 2), at(2, 3)] : [at(2, 1), at(1, 2), at(3, 2)];
  }
  // Known items come after the first of these, and before the second, except in a list of one.
  const last = length - (length >= MIN_ITEMS ? 2 : 1);
  const index = Math.min(readings.includes('after') && length < MIN_ITEMS ? 1 : 5, last);
  return [at(index, index >= ROOM_FOR_TWO ? 2 : 1), at(index === 0 ? 1 : index - 1, 2)];
}

/** Tries values of a parameter until one reading is left, at least two of them if the list has room. */
async function tryName(
  known: KnownList,
  candidate: Candidate,
): Promise<Tried['outcome']> {
  const [wanted] = candidate.readings;
  const isById = candidate.readings.some(takesId);
  const isTiny = known.ids.length < MIN_ITEMS;
  let { readings } = candidate;
  for (const [index, sample] of samplesFor(known.ids.length, readings).entries()) {
    if (index > 1 && readings.length === 1) break;
    // The page before the second item would be the first page.
    if (index === 1 && wanted === 'before' && sample.at < ROOM_FOR_TWO - 1) break;
    // The list may have changed. In a tiny list, the first response has added known items instead.
    if (index === 1 && !(isTiny && isById)) await known.refresh();
    const found = await known.try({ ...candidate, ...sample, readings });
    if (typeof found === 'string') return found;
    readings = found;
    // A name that pages back is not what is looked for; if no other one is found, it is reported.
    if (isById && readings[0] !== wanted) break;
  }
  return readings[0] ?? 'elsewhere';
}

export const idParams = (...names: readonly string[]): Candidate[] =>
  names.map((param) => ({ param, readings: ['after', 'before'] }));

export const numberParams = (...names: readonly string[]): Candidate[] =>
  names.map((param) => ({ param, readings: COUNTINGS }));

/** Open point: pagination parameter. Every name that the probe tries for the next page, likely names first. */
const CANDIDATES: readonly Candidate[] = [
  ...idParams('starting_after'),
  ...numberParams('offset', 'page'),
  // "before" and "max_id" return the next page if the newest items come first.
  ...idParams('after', 'before', 'cursor', 'after_id', 'before_id', 'since_id', 'max_id'),
  ...numberParams('skip', 'page_number', 'start', 'p', 'from'),
  ...idParams('from_id', 'since', 'until', 'start_after', 'page_token', 'ending_before'),
  ...idParams('last_id', 'next', 'to_id', 'next_token'),
  ...numberParams('start_index', 'page_no'),
];

/** Usual names for the two directions. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['starting_after', 'ending_before'],
  ['after', 'before'],
  ['cursor', 'prev_cursor'],
  ['after_id', 'before_id'],
  ['since_id', 'max_id'],
  ['from_id', 'to_id'],
  ['since', 'until'],
  ['start_after', 'end_before'],
  ['page_token', 'prev_page_token'],
];
const BACK_NAMES = ['before_cursor', 'until_id', 'previous_page_token'];
