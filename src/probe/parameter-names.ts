import { COUNTINGS } from '../paging/trial.ts';
import { BY_ID, type Candidate } from './known-list.ts';

/** Open point: pagination parameter. Every name that the probe tries for the next page, likely names first. */
export const CANDIDATES: readonly Candidate[] = [
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
export function backNames(forward: string): readonly string[] {
  const partners = PAIRS.filter((pair) => pair.includes(forward)).flat();
  const others = PAIRS.map(([, back]) => back);
  const names = new Set([...partners, ...others, ...MORE_BACK_NAMES]);
  names.delete(forward);
  return [...names];
}

function ids(...names: readonly string[]): Candidate[] {
  return names.map((param) => ({ param, readings: BY_ID }));
}

function numbers(...names: readonly string[]): Candidate[] {
  return names.map((param) => ({ param, readings: COUNTINGS }));
}
