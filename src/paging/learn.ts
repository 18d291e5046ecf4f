import type { Item, Page } from '../rest/list.ts';
import { type KnownLimits, SAFE_LIMIT } from './known-limits.ts';
import type { TrialName, TrialResult, TrialRun } from './known-paging.ts';
import { USUAL_PARAMETERS } from './parameters.ts';
import type { Segment } from './segment.ts';
import type { Answer, Asked, Reader } from './strategy.ts';
import { fits, type Reading, startOf } from './trial.ts';
import { createUnknownId } from './unknown-id.ts';

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
  const answer = await reader.tryOut({ limit });
  if (answer !== null) run.noteCall();
  if (answer === 'refused' && limit > SAFE_LIMIT) {
    const again = await reader.tryOut({ limit: SAFE_LIMIT });
    if (again !== null) run.noteCall();
    if (!isPage(again)) return null;
    reader.endpoint.limits.refused(limit);
    return { ...again, start: 0, limit: SAFE_LIMIT };
  }
  return isPage(answer) ? { ...answer, start: 0, limit } : null;
}

/** Once a list can be continued, a page gains by asking for no more than the service returns at once. */
export function noteLength(
  limits: KnownLimits,
  { items, hasMore, limit }: Omit<Head<unknown>, 'start'>,
): void {
  const isCut = hasMore && items.length < limit;
  limits.answered(limit, { count: items.length, isCut });
}

const isPage = <T>(answer: Answer<T> | null): answer is Page<T> =>
  typeof answer === 'object' && answer !== null;

/** Makes trials until enough is known, or the operation leaves no call for them. */
export async function learn<T>(
  reader: Reader<T>,
  head: Page<T>,
  run: TrialRun,
): Promise<void> {
  const sample = toSample(head.items);
  if (sample === null) return;
  for (let trial = run.next(); trial !== null; trial = run.next()) {
    const { reading, at, window } = toQuestion(trial, sample);
    const answer = await reader.tryOut(window);
    if (answer === null) return;
    run.note(trial, toResult(reading, at, answer, sample));
    if (answer === 'trouble') return;
  }
  if (run.hasFound()) await guessMaximum(reader, run);
}

/**
 * After a refused `limit`, tries the usual maximums below it: otherwise all pages would be read in parts of ten. Without a
 * run, for a caller to which a style applies that another one has learned.
 */
export async function guessMaximum<T>(reader: Reader<T>, run?: TrialRun): Promise<void> {
  const { limits } = reader.endpoint;
  while (run?.hasCall() ?? true) {
    const limit = limits.takeGuess();
    const answer = limit === null ? null : await reader.tryOut({ limit });
    if (limit === null || answer === null) return;
    run?.noteCall();
    if (answer === 'trouble') return;
    if (answer !== 'refused') return noteLength(limits, { ...answer, limit });
    limits.refused(limit);
  }
}

/** The beginning of a list as it was read a moment ago, and where in it the trials look. */
interface Sample {
  /** An empty text for an item without an id. */
  readonly known: readonly string[];
  /** The first of the items that the trials ask for; even, so that a page of two can begin there. */
  readonly from: number;
}

/** How many items in a row must have an id that no other item has, so that each trial expects other items. Unit: items. */
const SPAN = 6;
/** Items of the list after these are ignored. Unit: items. */
const LONGEST = 100;
/** How many items a trial asks for. Unit: items. */
const LIMIT = 2;

/** The part of a list on which a parameter shows what it does; null if the list is too short, or its ids repeat. */
function toSample(items: readonly Item<unknown>[]): Sample | null {
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

interface Question {
  /** How the gateway would use the parameter; null: the answer to an unknown id. */
  readonly reading: Reading | null;
  /** The index of the item whose id is sent, or the number that is sent. */
  readonly at: number;
  readonly window: Asked;
}

/** What a trial asks for. Each of the parameters would lead to another part of the sample. */
function toQuestion(trial: TrialName, { known, from }: Sample): Question {
  const { after, before, offset, page } = USUAL_PARAMETERS;
  const ask = (param: string, reading: Reading, at: number, value: string | number) => ({
    reading,
    at,
    window: { limit: LIMIT, [param]: value },
  });
  switch (trial) {
    case 'starting_after':
      return ask(after, 'after', from + 3, known[from + 3] ?? '');
    case 'ending_before':
      return ask(before, 'before', from + 5, known[from + 5] ?? '');
    case 'unknown id': {
      const window = { limit: LIMIT, [after]: createUnknownId(known) };
      return { reading: null, at: 0, window };
    }
    case 'offset':
      return ask(offset, 'offset', from + 3, from + 3);
    case 'page': {
      const number = (from + 4) / LIMIT + 1;
      return ask(page, 'page', number, number);
    }
  }
}

/**
 * What an answer shows. `yes` only if it has the items that come there, one after another; `no` if the service refuses
 * the parameter, or returns the head of the list as if it were not there. An unknown id: whether the service refuses it.
 */
function toResult(
  reading: Reading | null,
  at: number,
  answer: Answer<unknown>,
  { known }: Sample,
): TrialResult {
  if (answer === 'trouble') return 'unclear';
  if (reading === null) {
    return answer === 'refused' || answer.items.length === 0 ? 'yes' : 'no';
  }
  if (answer === 'refused') return 'no';
  const ids = answer.items.map(({ id }) => id ?? '');
  if (startOf(ids, known) === 0) return 'no';
  const isPage = fits(reading, { ids, known, at, size: LIMIT, tolerance: 0 });
  return isPage && ids.length >= LIMIT ? 'yes' : 'unclear';
}
