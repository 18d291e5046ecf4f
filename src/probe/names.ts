/** Open point: the next page's parameter. How services call one that takes an id, by the side it usually asks for. */
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

/** One name to try, and whether it would take an id or a number. */
export interface Candidate {
  readonly name: string;
  readonly takes: 'id' | 'number';
}

/** Every name that is tried for the next page, the likely ones first. */
export const CANDIDATES: readonly Candidate[] = [
  ...ids('starting_after'),
  ...numbers('offset', 'page'),
  // What pages back in one order pages on in another.
  ...ids('after', 'before', 'cursor', 'after_id', 'before_id', 'since_id', 'max_id'),
  ...numbers('skip', 'page_number', 'start', 'p', 'from'),
  ...ids('from_id', 'since', 'until', 'start_after', 'page_token', 'ending_before'),
  ...ids('last_id', 'next', 'to_id', 'next_token'),
  ...numbers('start_index', 'page_no'),
];

/** Names for the way back, the partner of `name` first. */
export function backCandidates(name: string): readonly string[] {
  const partners = PAIRS.filter((pair) => pair.includes(name)).flat();
  const others = PAIRS.map(([, back]) => back);
  const named = new Set([...partners, ...others, ...MORE_BACK_NAMES]);
  named.delete(name);
  return [...named];
}

const MORE_BACK_NAMES: readonly string[] = [
  'before_cursor',
  'until_id',
  'previous_page_token',
];

function ids(...names: readonly string[]): Candidate[] {
  return names.map((name) => ({ name, takes: 'id' }));
}

function numbers(...names: readonly string[]): Candidate[] {
  return names.map((name) => ({ name, takes: 'number' }));
}
