import type { Item } from '../rest/list.ts';
import type { Neighbour } from './cursor.ts';
import type { Place } from './locate.ts';
import { type PageSlice, type Segment, toSlice } from './segment.ts';

/** Where a page begins. */
type Begin = Pick<Place, 'index' | 'passed'>;

type Take = <T>(segment: Segment<T>, begin: Begin, size: number) => PageSlice<T>;

/**
 * The page of `size` items from an index on. It leaves out what was passed, but keeps it among `items`: the neighbours that
 * its cursors remember are those of the list as it is now.
 */
export const takeAfter: Take = (segment, { index, passed }, size) => {
  const { items, hasMore } = segment;
  const leftOut = indexesOfPassed(items, passed, { from: index, to: items.length });
  if (leftOut.length === 0) return toSlice(segment, index, index + size);
  let to = index + size;
  for (const at of leftOut) if (at < to) to += 1;
  const beyond = leftOut.filter((at) => at >= to);
  return {
    ...toSlice(segment, index, to),
    hasNext: hasMore || items.length - to > beyond.length,
    leftOut: leftOut.reverse(),
  };
};

/** The page of `size` items before an index. */
export const takeBefore: Take = (segment, { index, passed }, size) => {
  const { items } = segment;
  const leftOut = indexesOfPassed(items, passed, { from: 0, to: index });
  if (leftOut.length === 0) return toSlice(segment, index - size, index);
  let from = index - size;
  for (const at of leftOut.toReversed()) if (at >= from) from -= 1;
  const slice = { ...toSlice(segment, from, index), leftOut };
  return { ...slice, hasPrevious: segment.start > 0 || hasEarlier(slice) };
};

/** Whether the known items before a page are more than those it leaves out. */
export const hasEarlier = ({ from, leftOut = [] }: PageSlice<unknown>): boolean =>
  from > leftOut.filter((at) => at < from).length;

/** How many of the items were passed. */
export const countPassed = <T>(
  items: readonly Item<T>[],
  passed: ReadonlySet<Neighbour>,
): number => indexesOfPassed(items, passed, { from: 0, to: items.length }).length;

function indexesOfPassed<T>(
  items: readonly Item<T>[],
  passed: ReadonlySet<Neighbour>,
  { from, to }: { readonly from: number; readonly to: number },
): number[] {
  const indexes: number[] = [];
  if (passed.size === 0) return indexes;
  for (let index = from; index < to; index += 1) {
    const id = items[index]?.id ?? null;
    if (id !== null && passed.has(id)) indexes.push(index);
  }
  return indexes;
}
