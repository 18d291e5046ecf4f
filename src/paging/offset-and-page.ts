import type { Page } from '../rest/list.ts';
import { byPosition, type Positions } from './by-position.ts';
import type { PagingStrategy } from './strategy.ts';

/** Skips a number of items, which `param` takes. Open point: pagination parameter. */
export const byOffset = (param: string): PagingStrategy =>
  byPosition('offset', async (reader, { from, to, longest }) => {
    const limit = reader.limitFor(Math.min(to - from, longest));
    const page = await reader.ask({
      limit,
      ...(from === 0 ? {} : { [param]: from }),
    });
    return { ...page, start: from, short: shortBy(page, limit) };
  });

/** Open point: pagination parameter. Pages count from one. */
const FIRST_PAGE = 1;

/**
 * Asks for pages by number, which `param` takes. A page of `limit` items starts at a multiple of `limit`, so a `limit` is
 * chosen with which one page contains all the positions. Open point: pagination parameter.
 */
export const byPage = (param: string): PagingStrategy =>
  byPosition('page', async (reader, positions) => {
    for (;;) {
      const wanted = chooseLimit(positions, positions.longest);
      const limit = chooseLimit(positions, reader.limitFor(wanted));
      const number = Math.floor(positions.from / limit);
      const page = await reader.ask({
        limit,
        ...(number === 0 ? {} : { [param]: number + FIRST_PAGE }),
      });
      const start = number * limit;
      // If the service caps pages below `limit`, this one started elsewhere: choose again. The first always starts at 0.
      const holdsFrom = number === 0 && page.items.length > positions.from;
      if (holdsFrom || reader.allows(limit))
        return { ...page, start, short: shortBy(page, limit) };
    }
  });

const shortBy = ({ items, hasMore }: Page<unknown>, limit: number): number =>
  hasMore ? Math.max(0, limit - items.length) : 0;

/** The shortest page that contains all the positions; if there is none, the page with `from` that ends last. */
function chooseLimit({ from, to }: Positions, longest: number): number {
  let best = 1;
  for (let limit = 1; limit <= longest; limit += 1) {
    const end = endOfPage(from, limit);
    if (end >= to) return limit;
    if (end > endOfPage(from, best)) best = limit;
  }
  return best;
}

/** Where the page that contains a position ends, exclusive. */
const endOfPage = (position: number, limit: number): number =>
  (Math.floor(position / limit) + 1) * limit;
