import type { Item, Page } from '../rest/list.ts';
import { SAFE_LIMIT } from './known-limits.ts';
import type { TrialName, TrialResult, TrialRun } from './known-paging.ts';
import { USUAL_PARAMETERS } from './parameters.ts';
import type { Asked, NoPage, Reader } from './reader.ts';
import type { Segment } from './segment.ts';
import {
  type Mismatch,
  type Question,
  type Reading,
  tryParameter,
  tryUnknownId,
} from './trial.ts';

/** The head of a list, and the `limit` with which it was read. */
export interface Head<T> extends Segment<T> {
  readonly limit: number;
}

/**
 * Reads the head of a list for the trials: as many items as the pages that follow will ask for, so that a maximum of the
 * service is met here; null if there is no call for it.
 */
export async function readHead<T>(
  reader: Reader<T>,
  wanted: number,
  run: TrialRun,
): Promise<Head<T> | null> {
  const limit = reader.limitFor(Math.max(wanted, SAFE_LIMIT));
  const answer = await reader.tryOut({ limit }, run);
  if (answer === 'refused' && limit > SAFE_LIMIT) {
    const again = await reader.tryOut({ limit: SAFE_LIMIT }, run);
    if (typeof again === 'string') return null;
    reader.endpoint.limits.refused(limit);
    return { ...again, start: 0, limit: SAFE_LIMIT };
  }
  return typeof answer === 'string' ? null : { ...answer, start: 0, limit };
}

/** Makes trials until enough is known, or the operation leaves no call for them. */
export async function learn<T>(
  reader: Reader<T>,
  { items }: Page<T>,
  run: TrialRun,
): Promise<void> {
  const sample = toSample(items);
  if (sample === null) return;
  const { known, from } = sample;
  // The list was read a moment ago, and what is learned counts for every page: nothing may differ.
  const head = { known, tolerance: 0, isAnySize: false };
  const read = async (window: Asked) => {
    const answer = await reader.tryOut(window);
    if (typeof answer === 'string') return answer;
    return { ids: answer.items.map(({ id }) => id ?? ''), hasMore: answer.hasMore };
  };
  for (let trial = run.next(); trial !== null; trial = run.next()) {
    const result =
      trial === 'unknown id'
        ? await tryUnknownId(read, head, { param: USUAL_PARAMETERS.after, limit: LIMIT })
        : await tryParameter(read, head, toQuestion(trial, from));
    if (result === 'no call') return;
    run.note(trial, toResult(trial, result));
    if (result === 'trouble') return;
  }
  if (run.hasFound()) await reader.guessMaximum(run);
}

/** The beginning of a list, and where in it the trials look. */
interface TrialSample {
  /** An empty text for an item without an id. */
  readonly known: readonly string[];
  /** The first of the items that the trials ask for; even, so that a page of two can begin there. */
  readonly from: number;
}

/** How many items in a row must have an id that no other item has, so that each trial expects other items. Unit: items. */
export const SPAN = 6;
/** Items of the list after these are ignored. Unit: items. */
const LONGEST = 100;
/** How many items a trial asks for. Unit: items. */
const LIMIT = 2;

/** The part of a list on which a parameter shows what it does; null if the list is too short, or its ids repeat. */
function toSample(items: readonly Item<unknown>[]): TrialSample | null {
  const known = items.slice(0, LONGEST).map(({ id }) => id ?? '');
  const usable = known.map(
    (id, index) =>
      id !== '' && known.indexOf(id) === index && known.lastIndexOf(id) === index,
  );
  for (let from = 0; from + SPAN <= known.length; from += LIMIT) {
    if (usable.slice(from, from + SPAN).every(Boolean)) return { known, from };
  }
  return null;
}

type Asks = readonly [param: string, reading: Reading, at: (from: number) => number];

/** For each style: the parameter that a trial sends, what it may lead to, and its value: a number, or a sample item's index. */
const QUESTIONS: Record<Exclude<TrialName, 'unknown id'>, Asks> = {
  starting_after: [USUAL_PARAMETERS.after, 'after', (from) => from + 3],
  ending_before: [USUAL_PARAMETERS.before, 'before', (from) => from + 5],
  offset: [USUAL_PARAMETERS.offset, 'offset', (from) => from + 3],
  page: [USUAL_PARAMETERS.page, 'page', (from) => (from + 4) / LIMIT + 1],
};

/** Each of the parameters would lead to another part of the sample. */
function toQuestion(trial: keyof typeof QUESTIONS, from: number): Question {
  const [param, reading, toValue] = QUESTIONS[trial];
  return { param, readings: [reading], at: toValue(from), limit: LIMIT };
}

/**
 * What an answer shows. `no` only if the service refuses the parameter, or returns the head of the list as if it were not
 * there. An unknown id: whether the service refuses it.
 */
function toResult(
  trial: TrialName,
  result: readonly Reading[] | Mismatch | NoPage,
): TrialResult {
  if (result === 'trouble') return 'unclear';
  if (trial === 'unknown id') {
    return result === 'refused' || result === 'empty' ? 'yes' : 'no';
  }
  if (typeof result === 'object') return 'yes';
  return result === 'refused' || result === 'first page' ? 'no' : 'unclear';
}
