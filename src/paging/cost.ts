import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';
import { checkCursorLength } from './cursor.ts';
import { BadPageError } from './errors.ts';
import { SAFE_LIMIT } from './known-limits.ts';
import type { NewestEnd } from './newest-end.ts';
import type { PageBounds } from './reader.ts';
import type { PagingStrategy } from './strategy.ts';

/** The page arguments of a list field, as GraphQL gives them. */
export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
  readonly order?: 'AS_LISTED' | 'NEWEST_FIRST' | null | undefined;
}

/** How long a page is that a client asks for in another way. */
export interface PageSize {
  /** What the client calls `first`. Default: `first`. */
  readonly argument?: string;
  /** The length without that argument, or as long as a page may be, if that is less. Default: ten. */
  readonly otherwise: number;
  /** The page is at least so long, or as long as a page may be. Default: 1. */
  readonly least?: number;
}

/** `size` items in one direction, next to the cursor; without a cursor, the first or the last items in their order. */
interface PageRequest {
  readonly isForward: boolean;
  readonly size: number;
  readonly cursor: string | null;
  /** Whether the newest items come first. Otherwise they come as the service lists them. */
  readonly isNewestFirst: boolean;
}

/** How pages are read. */
export interface PageOptions {
  readonly strategy: PagingStrategy;
  readonly bounds: PageBounds;
  /** At which end of its lists the service has the newest items; null: the items show it. Open point: order of lists. */
  readonly listOrder: NewestEnd | null;
}

/** How many calls one list field may make. */
interface PageCost {
  /** The calls it makes if the service behaves as configured. */
  readonly expected: number;
  /**
   * Further calls it may make, if the operation's other fields leave any: when the service returns fewer items than expected,
   * the list has shifted, or it is read to its end.
   */
  readonly slack: number;
}

/** The page that a list field asks for, with its cost. */
export type PricedPage = PageRequest & { readonly cost: PageCost };
/** The same, or the error that refuses the field. */
export type RequestedPage = PricedPage | BadPageError;

/** Reads the arguments of a list field, and prices the page they ask for. */
export function requestPage(
  args: PageArguments,
  options: PageOptions,
  size: PageSize = USUAL_SIZE,
): RequestedPage {
  try {
    const request = toPageRequest(args, size, options.bounds.maxPageSize);
    return { ...request, cost: priceOf(request, options) };
  } catch (error) {
    if (error instanceof BadPageError) return error;
    throw error;
  }
}

const USUAL_SIZE: PageSize = { otherwise: DEFAULT_PAGE_SIZE };

/** Throws BadPageError. */
function toPageRequest(
  args: PageArguments,
  { argument = 'first', otherwise, least = 1 }: PageSize,
  maxSize: number,
): PageRequest {
  const { first, after, last, before, order } = args;
  const forward = first != null || after != null;
  const backward = last != null || before != null;
  if (forward && backward) {
    throw new BadPageError(
      'Page either forward (`first`, `after`) or backward (`last`, `before`).',
    );
  }
  const [name, size] = backward ? ['last', last] : [argument, first];
  if (size != null && (size < 1 || size > maxSize)) {
    throw new BadPageError(
      `\`${name}\` takes 1 to ${maxSize} (MAX_PAGE_SIZE), not ${size}.`,
    );
  }
  const cursor = (backward ? before : after) ?? null;
  if (cursor !== null) checkCursorLength(cursor);
  return {
    isForward: !backward,
    size: Math.max(size ?? Math.min(otherwise, maxSize), Math.min(least, maxSize)),
    cursor,
    isNewestFirst: order === 'NEWEST_FIRST',
  };
}

function priceOf(
  { isForward, size, cursor, isNewestFirst }: PageRequest,
  { strategy, bounds: { maxCalls, maxLimit, maxPageSize }, listOrder }: PageOptions,
): PageCost {
  const { isOneCall, overlap } = strategy;
  // The page at a cursor repeats the cursor's item, like every further call.
  const items = cursor === null ? size : size + overlap;
  const longest = Math.min(maxLimit, maxPageSize);
  const parts = isOneCall ? 1 : countParts(items, longest, overlap);
  const expected = Math.min(parts, maxCalls);
  // Every service returns ten items at once from the head of a list. All else may need further calls: a service has a
  // maximum `limit` that is not known, a list has changed, or its end is looked for, or the one with its newest items.
  const isAtHead = isNewestFirst ? isForward === (listOrder === 'head') : isForward;
  const isFirstPage =
    isAtHead && cursor === null && !(isNewestFirst && listOrder === null);
  const isSure = isFirstPage && size <= Math.min(SAFE_LIMIT, maxLimit);
  return { expected, slack: isSure ? 0 : maxCalls - expected };
}

/** How many parts of at most `longest` items a page needs; infinite if a part has room for no new item. */
const countParts = (size: number, longest: number, overlap: number): number =>
  size <= longest ? 1 : Math.ceil((size - overlap) / Math.max(0, longest - overlap));
