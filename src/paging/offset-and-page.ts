import { positional } from './by-position.ts';
import type { Positions } from './segment.ts';
import type { PagingStrategy } from './strategy.ts';

/** Skips items by their number. Open point: pagination parameter. */
export const byOffset = ({ param, maxPageSize }: CountingOptions): PagingStrategy =>
  positional('offset', async (reader, { from, to }) => {
    const page = await reader.ask({
      limit: Math.min(to - from, maxPageSize),
      ...(from === 0 ? {} : { [param]: from }),
    });
    return { ...page, start: from };
  });

export interface CountingOptions {
  /** Name of the parameter that counts. */
  readonly param: string;
  /** The longest page asked for. */
  readonly maxPageSize: number;
}

/** Open point: pagination parameter. Pages count from one. */
const FIRST_PAGE = 1;

/**
 * Asks for pages by their number. A page of `limit` items begins at a multiple of `limit`, so the `limit` is chosen for
 * one page to hold all positions asked for. Open point: pagination parameter.
 */
export const byPage = ({ param, maxPageSize }: CountingOptions): PagingStrategy =>
  positional('page', async (reader, positions) => {
    for (;;) {
      const limit = chooseLimit(positions, Math.min(maxPageSize, reader.longest));
      const number = Math.floor(positions.from / limit);
      const page = await reader.ask({
        limit,
        ...(number === 0 ? {} : { [param]: number + FIRST_PAGE }),
      });
      // Shorter pages than asked for begin elsewhere: then choose anew. The first begins where it begins.
      if (number === 0 || reader.longest >= limit)
        return { ...page, start: number * limit };
    }
  });

/** The shortest page that holds all positions, or else the one that reaches furthest beyond the first of them. */
function chooseLimit({ from, to }: Positions, longest: number): number {
  let best = 1;
  for (let limit = 1; limit <= longest; limit += 1) {
    const end = endOfPage(from, limit);
    if (end >= to) return limit;
    if (end > endOfPage(from, best)) best = limit;
  }
  return best;
}

/** Where the page ends that holds a position, exclusive. */
const endOfPage = (position: number, limit: number): number =>
  (Math.floor(position / limit) + 1) * limit;
