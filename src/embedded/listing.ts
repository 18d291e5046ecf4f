import type { Answers } from './answers.ts';
import { integer, text } from './fields.ts';
import type { Fields, FormValue } from './form.ts';
import { invalid } from './refusal.ts';

/** Source: Limits. */
const DEFAULT_LIMIT = 10;

/** A list answer. Source: Endpoints. */
export interface Page<T> {
  has_more: boolean;
  data: T[];
}

/** Which stretch of a list is asked for: `limit` items from `offset`, or beside a cursor. */
interface Window {
  limit: number;
  offset: number;
  cursor?: { param: string; id: string; side: 'after' | 'before' };
}

/**
 * Takes the parameters that choose a stretch out of a query.
 * Open points: the next page's parameter; maximum `limit`.
 * @returns the stretch, and the parameters that are left: the filters of the list
 */
export function takeWindow(
  query: Fields,
  answers: Answers,
): { window: Window; filters: Fields } {
  const filters = new Map(query);
  const take = <T>(name: string, read: (value: FormValue, name: string) => T) => {
    const value = filters.get(name);
    filters.delete(name);
    return value === undefined ? undefined : read(value, name);
  };

  const window: Window = {
    limit: readLimit(take('limit', integer(1)), answers),
    offset: 0,
  };
  const param = answers.pagingParam ?? answers.paging;
  if (answers.paging === 'offset') {
    window.offset = take(param, integer(0)) ?? 0;
  } else if (answers.paging === 'page') {
    window.offset = ((take(param, integer(1)) ?? 1) - 1) * window.limit;
  } else if (answers.paging === 'starting_after') {
    const back = answers.pagingBackParam ?? 'ending_before';
    const after = take(param, text);
    const before = take(back, text);
    if (after !== undefined && before !== undefined) {
      throw invalid(back, `does not go with ${param}`);
    }
    if (after !== undefined) window.cursor = { param, id: after, side: 'after' };
    if (before !== undefined) window.cursor = { param: back, id: before, side: 'before' };
  }
  return { window, filters };
}

function readLimit(
  asked: number | undefined,
  { maxLimit, aboveMaxLimit }: Answers,
): number {
  const greatest = maxLimit ?? Number.POSITIVE_INFINITY;
  if (asked !== undefined && asked > greatest && aboveMaxLimit !== 'cap') {
    throw invalid('limit', `takes ${greatest} at most`, aboveMaxLimit);
  }
  return Math.min(asked ?? DEFAULT_LIMIT, greatest);
}

/**
 * Puts items in the order of the lists, `at` being the time that counts; ids break ties, so that
 * the order is total. Open point: order of lists.
 */
export function inOrder<T extends { id: string }>(
  items: T[],
  at: (item: T) => number,
  { order }: Answers,
): T[] {
  const byId = (a: T, b: T) => (a.id < b.id ? -1 : 1);
  const byTime = (a: T, b: T) => at(a) - at(b) || byId(a, b);
  switch (order) {
    case 'newest':
      return items.toSorted((a, b) => byTime(b, a));
    case 'oldest':
      return items.toSorted(byTime);
    case 'id':
      return items.toSorted(byId);
  }
}

/** Cuts a stretch out of an ordered list; `has_more` looks in the direction of paging. */
export function cut<T extends { id: string }>(
  items: T[],
  { limit, offset, cursor }: Window,
  answers: Answers,
): Page<T> {
  let start = offset;
  if (cursor !== undefined) {
    const at = items.findIndex(({ id }) => id === cursor.id);
    // Open point: the next page's parameter, here a cursor whose item is gone or never was.
    if (at === -1) {
      if (answers.unknownCursor === 'empty') return { has_more: false, data: [] };
      if (answers.unknownCursor === 'first')
        return cut(items, { limit, offset: 0 }, answers);
      throw invalid(cursor.param, 'is not an id of this list', answers.unknownCursor);
    }
    if (cursor.side === 'before') {
      const first = Math.max(0, at - limit);
      return { has_more: first > 0, data: items.slice(first, at) };
    }
    start = at + 1;
  }
  const end = start + limit;
  return { has_more: end < items.length, data: items.slice(start, end) };
}
