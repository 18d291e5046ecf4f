/**
 * The index at which a page begins, counted from the known head of a list. Negative if it begins with new items: -2 for
 * two. `unknown`: none of the page's ids is known. An empty text is an item without a usable id.
 */
export function startOf(
  ids: readonly string[],
  known: readonly string[],
): number | 'unknown' | 'empty' {
  if (ids.length === 0) return 'empty';
  for (const [offset, id] of ids.entries()) {
    const index = id === '' ? -1 : known.indexOf(id);
    if (index !== -1) return index - offset;
  }
  return 'unknown';
}

/** What the number in a paging parameter counts: items, pages from one, or pages from zero. */
export type Counting = 'offset' | 'page' | 'page from zero';

/** Where a page begins under each way of counting. */
export const STARTS: Record<Counting, (number: number, size: number) => number> = {
  offset: (number) => number,
  page: (number, size) => (number - 1) * size,
  'page from zero': (number, size) => number * size,
};
