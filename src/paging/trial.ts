import type { Item, Page } from '../rest/list.ts';
import type { Query } from '../rest/send.ts';
import type { Trial, Verdict } from './known-paging.ts';
import { STARTS, startOf } from './page-start.ts';
import { USUAL_PARAMETERS } from './parameters.ts';
import type { Answer } from './strategy.ts';
import { createUnknownId } from './unknown-id.ts';

/** The beginning of a list as it was read a moment ago, and where in it the trials look. */
export interface Sample {
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
/** The item before the page of a trial, or the item after it; counted from `Sample.from`. */
const ANCHOR = 3;
const BACK_ANCHOR = 5;
/** Where the page of a trial by number begins, counted likewise. If the number counts something else, it begins elsewhere. */
const OFFSET = 3;
const PAGE = 4;

/** The part of a list on which a parameter shows what it does; null if the list is too short, or its ids repeat. */
export function toSample(items: readonly Item<unknown>[]): Sample | null {
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
  readonly window: Query & { readonly limit: number };
  /** Where in the sample the answer begins if the parameter works; null: not in the sample. */
  readonly start: number | null;
}

/** The part of the list that a trial asks for. */
export function toQuestion(trial: Trial, { known, from }: Sample): Question {
  const { after, before, offset, page } = USUAL_PARAMETERS;
  const ask = (param: string, value: string | number, start: number | null) => ({
    window: { limit: LIMIT, [param]: value },
    start,
  });
  switch (trial) {
    case 'starting_after':
      return ask(after, known[from + ANCHOR] ?? '', from + ANCHOR + 1);
    case 'ending_before':
      return ask(before, known[from + BACK_ANCHOR] ?? '', from + BACK_ANCHOR - LIMIT);
    case 'unknown id':
      return ask(after, createUnknownId(known), null);
    case 'offset': {
      const value = from + OFFSET;
      return ask(offset, value, STARTS.offset(value, LIMIT));
    }
    case 'page': {
      const value = (from + PAGE) / LIMIT + 1;
      return ask(page, value, STARTS.page(value, LIMIT));
    }
  }
}

/**
 * What an answer shows. `yes` only if it has the items that come there, one after another; `no` if the service refuses
 * the parameter, or returns the head of the list as if it were not there. An unknown id: whether the service refuses it.
 */
export function judge(
  { start }: Question,
  answer: Answer<unknown>,
  { known }: Sample,
): Verdict {
  if (answer === 'trouble') return 'unclear';
  if (start === null) {
    return answer === 'refused' || answer.items.length === 0 ? 'yes' : 'no';
  }
  if (answer === 'refused') return 'no';
  const ids = idsOf(answer);
  const found = startOf(ids, known);
  if (found === 0) return 'no';
  return found === start && continuesAt(ids, known, start) ? 'yes' : 'unclear';
}

const idsOf = ({ items }: Page<unknown>): string[] => items.map(({ id }) => id ?? '');

/** Whether these are the items from `start` on, at least as many as were asked for. */
const continuesAt = (
  ids: readonly string[],
  known: readonly string[],
  start: number,
): boolean =>
  ids.length >= LIMIT &&
  ids.every((id, index) => start + index >= known.length || id === known[start + index]);
