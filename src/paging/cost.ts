import { type PageArguments, type PageRequest, toPageRequest } from './arguments.ts';
import { BadPageError } from './errors.ts';
import { type ReaderBounds, SAFE_LIMIT } from './reader.ts';
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
  /** The calls it may make beyond that, to find a cursor in a list that has shifted, or to read to the end. */
  readonly slack: number;
  /** The further calls that all lists of one field share, in case the service caps its pages below `maxLimit`. */
  readonly sharedSlack: number;
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
  { strategy, bounds: { maxCalls, maxLimit } }: PageOptions,
): PageCost {
  const isFirstPage = direction === 'forward' && cursor === null;
  const parts = strategy.isOneCall ? 1 : countParts(size, maxLimit, strategy.overlap);
  // A refused `limit` above ten is retried with ten: one more call. Only a first page never asks for more than its size.
  const longest = isFirstPage ? Math.min(size, maxLimit) : maxLimit;
  const expected = Math.min(parts + (longest > SAFE_LIMIT ? 1 : 0), maxCalls);
  if (!isFirstPage) return { expected, slack: maxCalls - expected, sharedSlack: 0 };
  const sharedSlack = size > SAFE_LIMIT ? maxCalls - expected : 0;
  return { expected, slack: 0, sharedSlack };
}

/** How many parts of at most `longest` items a page needs; infinite if a part has room for no new item. */
const countParts = (size: number, longest: number, overlap: number): number =>
  size <= longest ? 1 : Math.ceil((size - overlap) / Math.max(0, longest - overlap));
