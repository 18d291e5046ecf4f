import { RestStatusError } from '../rest/errors.ts';
import type { Item, Page } from '../rest/list.ts';
import { isBadValue, isUnknownId } from '../rest/status.ts';
import type { Neighbour } from './cursor.ts';
import type { Asked, Reader } from './reader.ts';

/** Where pages come from: the calls of a list field. */
export type PageSource<T> = Pick<Reader<T>, 'ask' | 'ahead'>;

/** An item with an id, from which the service can continue a list. */
export interface Anchor {
  readonly id: string;
  /** How many items without an id lie between it and the place to continue from. */
  readonly withoutId: number;
  /** The anchors between it and that place, nearest first. */
  readonly nearer: readonly Anchor[];
}

interface AnchorQuery {
  readonly param: string;
  /** How many items to read beyond the place. */
  readonly limit: number;
  trusts<T>(page: Page<T>, anchor: Anchor): boolean;
}

/** After this many unknown anchors, the list has changed too much to go on. */
const MAX_ANCHORS = 5;

/** How often to ask for more where a page is empty although the list has more. Unit: calls. */
export const MAX_EMPTY = 3;

/** The `limit` to ask for where this one has brought nothing: the service may leave out many items in a row. */
export const longerThan = (limit: number): number => Math.max(4 * limit, 100);

/** Asks for a page, and for a longer one while it is empty although the list has more. */
async function askWhole<T>(
  source: PageSource<T>,
  window: Asked,
): Promise<Page<T> & { readonly isEnd: boolean }> {
  const first = await source.ask(window);
  let page = first;
  let { limit } = window;
  for (let empty = 0; empty < MAX_EMPTY && isEmpty(page); empty += 1) {
    limit = longerThan(limit);
    page = await source.ask({ ...window, limit });
  }
  // The service has left out all that follows. If it did not know the item, it would not have had more.
  return { ...page, isEnd: isEmpty(first) && page.items.length === 0 && !page.hasMore };
}

export const isEmpty = <T>({ items, hasMore }: Page<T>) => items.length === 0 && hasMore;

/** Turns ids, nearest first, into at most `most` anchors. */
export function toAnchors(
  ids: readonly Neighbour[],
  most = Number.POSITIVE_INFINITY,
): readonly Anchor[] {
  const anchors: Anchor[] = [];
  let withoutId = 0;
  for (const id of ids) {
    if (anchors.length === most) break;
    if (id === null) withoutId += 1;
    else anchors.push({ id, withoutId, nearer: [...anchors] });
  }
  return anchors;
}

/** Asks for a page from one anchor after another, until a page is trusted; null if none is. */
export async function askFrom<T>(
  source: PageSource<T>,
  anchors: readonly Anchor[],
  { param, limit, trusts }: AnchorQuery,
): Promise<{ page: Page<T>; anchor: Anchor } | null> {
  for (const anchor of anchors) {
    const { id, withoutId, nearer } = anchor;
    const window = { limit: limit + withoutId + nearer.length, [param]: id };
    const page = await askWhole(source, window).catch(nullIfUnknownId);
    // The page begins elsewhere: the service does not read in this direction.
    if (page?.items.some((item) => item.id === id)) return null;
    if (page?.isEnd || (page && trusts(page, anchor))) return { page, anchor };
  }
  return null;
}

/**
 * Reads one more page after `passed`. `near`: the ids known to lie before `passed`, nearest first. Null if the list has
 * changed too much, or if the service reports more items but returns no new one.
 */
export async function readNext<T>(
  source: PageSource<T>,
  passed: Page<T>,
  { near, limit, param }: { near: readonly Neighbour[]; limit: number; param: string },
): Promise<Page<T> | null> {
  const ids = [...passed.items.map(({ id }) => id).reverse(), ...near];
  const anchors = toAnchors(ids, MAX_ANCHORS);
  if (anchors.length === 0) {
    const page = await askWhole(source, { limit: limit + ids.length });
    return append(passed, { ...page, items: page.items.slice(ids.length) });
  }
  // The last page reported more items. So an empty page that reports no more means that the service does not know the id or, if
  // no other anchor can tell, that it leaves out all that follows.
  const isSure = anchors.length > 1 || source.ahead === 0;
  const goesOn = ({ items, hasMore }: Page<unknown>) =>
    items.length > 0 || hasMore || !isSure;
  let longer = limit;
  for (let empty = 0; ; empty += 1) {
    const found = await askFrom(source, anchors, {
      param,
      limit: longer,
      trusts: goesOn,
    });
    if (found === null) return null;
    const { page, anchor } = found;
    const next = append(passed, { ...page, items: skipToPlace(page.items, anchor) });
    // The page repeats known items, but the service has left out all others.
    if (next !== null || source.ahead === 0 || empty === MAX_EMPTY) return next;
    longer = longerThan(longer);
  }
}

/** Skips the items up to the nearest anchor that is still in the list, and those without an id that come between it and the place. */
export function skipToPlace<T>(
  items: readonly Item<T>[],
  { withoutId, nearer }: Anchor,
): readonly Item<T>[] {
  for (const anchor of nearer) {
    const index = items.findIndex(({ id }) => id === anchor.id);
    if (index !== -1) return skipWithoutId(items.slice(index + 1), anchor.withoutId);
  }
  return skipWithoutId(items, withoutId);
}

/** Skips the items without an id at the start, `most` of them at the most: some may be gone. */
function skipWithoutId<T>(items: readonly Item<T>[], most: number): readonly Item<T>[] {
  const firstWithId = items.findIndex(({ id }) => id !== null);
  const count = firstWithId === -1 ? items.length : firstWithId;
  return items.slice(Math.min(most, count));
}

/** Appends the new items of a page; null if it has none although the service reports more. */
function append<T>({ items }: Page<T>, page: Page<T>): Page<T> | null {
  const known = new Set(items.map(({ id }) => id));
  const fresh = page.items.filter(({ id }) => id === null || !known.has(id));
  if (fresh.length === 0 && page.hasMore) return null;
  return { items: [...items, ...fresh], hasMore: page.hasMore };
}

/**
 * Null if the service refuses the id in a paging parameter; throws every other error. Open point: pagination parameter. How a
 * service answers the id of a deleted item is not shown.
 */
export function nullIfUnknownId(error: unknown): null {
  const status = error instanceof RestStatusError ? error.details.status : 0;
  if (isUnknownId(status) || isBadValue(status)) return null;
  throw error;
}
