import type { Answers } from './answers.ts';
import { invalidField } from './errors.ts';
import { integer, text } from './fields.ts';
import type { Fields, FormValue } from './form.ts';

/** Source: Limits. */
const DEFAULT_LIMIT = 10;

/** The response of a list. Source: Endpoints. */
export interface ListBody<T> {
  has_more: boolean;
  data: T[];
}

/** The requested part of a list: `limit` items from `offset`, or next to a cursor. */
interface PageQuery {
  limit: number;
  offset: number;
  cursor?: { param: string; id: string; side: 'after' | 'before' };
}

/**
 * Splits a query into its paging parameters and its filters.
 * Open point: pagination parameter. Open point: maximum limit.
 */
export function readPageQuery(
  query: Fields,
  answers: Answers,
): { page: PageQuery; filters: Fields } {
  const filters = new Map(query);
  const take = <T>(name: string, read: (value: FormValue, name: string) => T) => {
    const value = filters.get(name);
    filters.delete(name);
    return value === undefined ? undefined : read(value, name);
  };

  const page: PageQuery = {
    limit: toLimit(take('limit', integer(1)), answers),
    offset: 0,
  };
  const param = answers.pagingParam ?? answers.paging;
  if (answers.paging === 'offset') {
    page.offset = take(param, integer(0)) ?? 0;
  } else if (answers.paging === 'page') {
    page.offset = ((take(param, integer(1)) ?? 1) - 1) * page.limit;
  } else if (answers.paging === 'starting_after') {
    const back = answers.pagingBackParam ?? 'ending_before';
    const after = take(param, text);
    const before = take(back, text);
    if (after !== undefined && before !== undefined) {
      throw invalidField(back, `cannot be combined with ${param}`);
    }
    if (after !== undefined) page.cursor = { param, id: after, side: 'after' };
    if (before !== undefined) page.cursor = { param: back, id: before, side: 'before' };
  }
  return { page, filters };
}

function toLimit(
  requested: number | undefined,
  { maxLimit, aboveMaxLimit }: Answers,
): number {
  const max = maxLimit ?? Number.POSITIVE_INFINITY;
  if (requested !== undefined && requested > max && aboveMaxLimit !== 'cap') {
    throw invalidField('limit', `takes ${max} at most`, aboveMaxLimit);
  }
  return Math.min(requested ?? DEFAULT_LIMIT, max);
}

/** Sorts by `timeOf`, then by id, so that the order is total. Open point: order of lists. */
export function sortItems<T extends { id: string }>(
  items: T[],
  timeOf: (item: T) => number,
  { order }: Answers,
): T[] {
  const byId = (a: T, b: T) => (a.id < b.id ? -1 : 1);
  const byTime = (a: T, b: T) => timeOf(a) - timeOf(b) || byId(a, b);
  switch (order) {
    case 'newest':
      return items.toSorted((a, b) => byTime(b, a));
    case 'oldest':
      return items.toSorted(byTime);
    case 'id':
      return items.toSorted(byId);
  }
}

/** Cuts the requested page out of a sorted list; `has_more` looks in the paging direction. */
export function slicePage<T extends { id: string }>(
  items: T[],
  { limit, offset, cursor }: PageQuery,
  { unknownCursor }: Answers,
): ListBody<T> {
  const pageFrom = (start: number): ListBody<T> => ({
    has_more: start + limit < items.length,
    data: items.slice(start, start + limit),
  });
  if (cursor === undefined) return pageFrom(offset);

  const index = items.findIndex(({ id }) => id === cursor.id);
  // The cursor's item was deleted or never existed. Open point: pagination parameter.
  if (index === -1) {
    if (unknownCursor === 'empty') return { has_more: false, data: [] };
    if (unknownCursor === 'first') return pageFrom(0);
    throw invalidField(cursor.param, 'is not an id of this list', unknownCursor);
  }
  if (cursor.side === 'after') return pageFrom(index + 1);
  const start = Math.max(0, index - limit);
  return { has_more: start > 0, data: items.slice(start, index) };
}
