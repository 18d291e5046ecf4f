import { COUNTINGS, type Counting } from '../paging/trial.ts';
import type { FirstPage } from './list.ts';
import type { UnknownCursor } from './report.ts';
import type { Session } from './session.ts';
import {
  type Candidate,
  findBackParameter,
  findUnknownCursor,
  type KnownList,
  type Outcome,
  readsAs,
  refresh,
  toKnownList,
  tryName,
} from './trials.ts';

/** The parameter for the next page. It takes an item's id, or a number that counts. */
export interface NextParameter {
  readonly name: string;
  readonly style: 'starting_after' | Counting;
  /** Whether the list was long enough to see where the pages begin. */
  readonly isSure: boolean;
}

/** One name, and what it did as a parameter. */
export interface Tried {
  readonly name: string;
  readonly outcome: Outcome;
}

/** What the search has found so far. It grows step by step, so that a probe that ends early can report it. */
export interface PagingStudy {
  readonly tried: Tried[];
  next: NextParameter | null;
  /** Whether the search for the next page is complete. */
  isSearched: boolean;
  /** Whether items disappeared during a search that found nothing: it may have tried names with their ids. */
  hasLostItems: boolean;
  /** Whether the parameter works in the other list too; null if unknown. */
  worksInOtherList: boolean | null;
  unknownCursor: UnknownCursor | null;
  backParameter: string | null;
}

/** With fewer known items, the next page may look like another part of the list. */
const MIN_SURE_ITEMS = 3;
/** In a shorter list, the parameter cannot be checked. */
const MIN_OTHER_ITEMS = 4;
/** All anchors are among this many items at the head of the list. */
const ANCHORS = 7;
/** Outcomes that need no second try. Any other may come from a list that has shifted, so the probe tries again. */
const CLEAR: readonly Outcome[] = [
  'first page',
  'refused',
  'trouble',
  'after',
  ...COUNTINGS,
];

export const createPagingStudy = (): PagingStudy => ({
  tried: [],
  next: null,
  isSearched: false,
  hasLostItems: false,
  worksInOtherList: null,
  unknownCursor: null,
  backParameter: null,
});

/** Open point: pagination parameter. Fills the study, from the longest list and from the other one. */
export async function studyPaging(
  session: Session,
  study: PagingStudy,
  lists: { first: FirstPage; other: FirstPage | null; maxLimit: number | null },
): Promise<void> {
  const known = toKnownList(lists.first, lists.maxLimit);
  const anchors = known.ids.slice(0, ANCHORS);
  const next = await findNext(session, known, study.tried);
  study.isSearched = true;
  study.next = next;
  if (next === null) {
    await refresh(session, known);
    study.hasLostItems = !anchors.every((id) => known.ids.includes(id));
    return;
  }
  if (lists.other !== null) {
    const other = toKnownList(lists.other, lists.maxLimit);
    study.worksInOtherList = await worksIn(session, other, next);
  }
  if (next.style !== 'starting_after') return;
  study.unknownCursor = await findUnknownCursor(session, known, next.name);
  study.backParameter = await findBack(session, known, { next, tried: study.tried });
}

/** Tries one name after another; adds what each did to `tried`. */
async function findNext(
  session: Session,
  known: KnownList,
  tried: Tried[],
): Promise<NextParameter | null> {
  const isSure = known.ids.length >= MIN_SURE_ITEMS;
  for (const candidate of CANDIDATES) {
    const { name, takes } = candidate;
    const outcome = await tryClearly(session, known, candidate);
    tried.push({ name, outcome });
    if (takes === 'id' && outcome === 'after') {
      return { name, style: 'starting_after', isSure };
    }
    const style = COUNTINGS.find((counting) => counting === outcome);
    if (style !== undefined) return { name, style, isSure };
  }
  return null;
}

async function tryClearly(
  session: Session,
  known: KnownList,
  candidate: Candidate,
): Promise<Outcome> {
  const outcome = await tryName(session, known, candidate);
  if (CLEAR.includes(outcome)) return outcome;
  await refresh(session, known);
  return tryName(session, known, candidate);
}

/** Whether the parameter does the same in another list; null if that list is too short. */
export async function worksIn(
  session: Session,
  known: KnownList,
  { name, style }: Pick<NextParameter, 'name' | 'style'>,
): Promise<boolean | null> {
  await refresh(session, known);
  if (known.ids.length < MIN_OTHER_ITEMS) return null;
  return readsAs(session, known, {
    name,
    purpose: `does "${name}" lead to another page of ${known.list.path.route}?`,
    reading: style === 'starting_after' ? 'after' : style,
  });
}

/** The parameter for the previous page; null if no name works. */
async function findBack(
  session: Session,
  known: KnownList,
  { next, tried }: { next: NextParameter; tried: readonly Tried[] },
): Promise<string | null> {
  const found = tried.find(({ outcome }) => outcome === 'before');
  if (found !== undefined) return found.name;
  const isNew = (name: string) => !tried.some((one) => one.name === name);
  return findBackParameter(session, known, backNames(next.name).filter(isNew));
}

/** Open point: pagination parameter. Every name that the probe tries for the next page, likely names first. */
const CANDIDATES: readonly Candidate[] = [
  ...ids('starting_after'),
  ...numbers('offset', 'page'),
  // "before" and "max_id" return the next page if the newest items come first.
  ...ids('after', 'before', 'cursor', 'after_id', 'before_id', 'since_id', 'max_id'),
  ...numbers('skip', 'page_number', 'start', 'p', 'from'),
  ...ids('from_id', 'since', 'until', 'start_after', 'page_token', 'ending_before'),
  ...ids('last_id', 'next', 'to_id', 'next_token'),
  ...numbers('start_index', 'page_no'),
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

const MORE_BACK_NAMES = ['before_cursor', 'until_id', 'previous_page_token'];

/** Names to try for the previous page, the partner of the forward name first. */
function backNames(forward: string): readonly string[] {
  const partners = PAIRS.filter((pair) => pair.includes(forward)).flat();
  const others = PAIRS.map(([, back]) => back);
  const names = new Set([...partners, ...others, ...MORE_BACK_NAMES]);
  names.delete(forward);
  return [...names];
}

function ids(...names: readonly string[]): Candidate[] {
  return names.map((name) => ({ name, takes: 'id' }));
}

function numbers(...names: readonly string[]): Candidate[] {
  return names.map((name) => ({ name, takes: 'number' }));
}
