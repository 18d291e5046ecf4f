import { type PageArguments, toPageRequest } from './arguments.ts';
import { BadPageError } from './errors.ts';
import { type ReaderBounds, SAFE_LIMIT } from './reader.ts';
import type { PagingStrategy } from './strategy.ts';

/** Bounds of one list field. */
export interface PageBounds extends ReaderBounds {
  /** Unit: items. */
  readonly maxPageSize: number;
}

/** How many calls one list field may make. */
export interface ListCost {
  /** Those it makes when all goes as configured. */
  readonly base: number;
  /** Those it may make on top: to find a cursor again in a list that has shifted, or to walk to the end. */
  readonly extra: number;
  /** Those all lists of one field together may make on top, should the service give less at once than is known. */
  readonly spare: number;
}

const FREE: ListCost = { base: 0, extra: 0, spare: 0 };

/** The price of a page; arguments that are refused before any call cost none. */
export function listCost(
  args: PageArguments,
  { strategy, bounds }: { strategy: PagingStrategy; bounds: PageBounds },
): ListCost {
  const { maxCalls, maxLimit, maxPageSize } = bounds;
  try {
    const { direction, size, cursor } = toPageRequest(args, maxPageSize);
    const isPlain = direction === 'forward' && cursor === null;
    const chunks = strategy.isOneCall ? 1 : toChunks(size, maxLimit, strategy.overlap);
    // A `limit` above ten that is refused is asked once more with ten. Only first pages are sure to ask for no more.
    const longest = isPlain ? Math.min(size, maxLimit) : maxLimit;
    const base = Math.min(chunks + (longest > SAFE_LIMIT ? 1 : 0), maxCalls);
    if (!isPlain) return { base, extra: maxCalls - base, spare: 0 };
    return { base, extra: 0, spare: size > SAFE_LIMIT ? maxCalls - base : 0 };
  } catch (error) {
    if (error instanceof BadPageError) return FREE;
    throw error;
  }
}

/** How many parts of at most `longest` items make a page; infinite where each would bring nothing new. */
const toChunks = (size: number, longest: number, overlap: number): number =>
  size <= longest ? 1 : Math.ceil((size - overlap) / Math.max(0, longest - overlap));
