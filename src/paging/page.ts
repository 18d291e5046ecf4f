import { positional } from './by-position.ts';
import type { CountingOptions } from './offset.ts';
import type { Positions } from './range.ts';
import type { PagingStrategy } from './strategy.ts';

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
