import { type PageArguments, type PageRequest, toPageRequest } from './arguments.ts';
import { BadPageError } from './errors.ts';
import { SAFE_LIMIT } from './known-limits.ts';
import type { ReaderBounds } from './reader.ts';
import type { PagingStrategy } from './strategy.ts';

/** Bounds of one list field. */
interface PageBounds extends ReaderBounds {
  /** Unit: items. */
  readonly maxPageSize: number;
}

/** How pages are read. */
export interface PageOptions {
  readonly strategy: PagingStrategy;
  readonly bounds: PageBounds;
}

/** How many calls one list field may make. */
interface PageCost {
  /** The calls it makes if the service behaves as configured. */
  readonly expected: number;
  /**
   * The calls it may make beyond that, if the operation's other fields leave as many: the service returns fewer items at
   * once than is known, the list has shifted, or it is read to its end.
   */
  readonly slack: number;
}

/** The page that a list field asks for, with its cost; or the error that refuses the field. */
export type RequestedPage = (PageRequest & { readonly cost: PageCost }) | BadPageError;

/** Reads the arguments of a list field, and prices the page they ask for. */
export function requestPage(args: PageArguments, options: PageOptions): RequestedPage {
  try {
    const request = toPageRequest(args, options.bounds.maxPageSize);
    return { ...request, cost: priceOf(request, options) };
  } catch (error) {
    if (error instanceof BadPageError) return error;
    throw error;
  }
}

function priceOf(
  { direction, size, cursor }: PageRequest,
  { strategy, bounds: { maxCalls, maxLimit, maxPageSize } }: PageOptions,
): PageCost {
  const { isOneCall, overlap } = strategy;
  // The page at a cursor repeats the cursor's item, like every further call.
  const items = cursor === null ? size : size + overlap;
  const longest = Math.min(maxLimit, maxPageSize);
  const parts = isOneCall ? 1 : countParts(items, longest, overlap);
  const expected = Math.min(parts, maxCalls);
  // Every service returns ten items at once from the head of a list. All else may need further calls: a service has a
  // maximum `limit` that is not known, a list has changed, or its end is looked for.
  const isFirstPage = direction === 'forward' && cursor === null;
  const isSure = isFirstPage && size <= Math.min(SAFE_LIMIT, maxLimit);
  return { expected, slack: isSure ? 0 : maxCalls - expected };
}

/** How many parts of at most `longest` items a page needs; infinite if a part has room for no new item. */
const countParts = (size: number, longest: number, overlap: number): number =>
  size <= longest ? 1 : Math.ceil((size - overlap) / Math.max(0, longest - overlap));
