import { PageOutOfReachError } from './errors.ts';
import { SAFE_LIMIT } from './known-limits.ts';
import type { PagingStrategy } from './strategy.ts';

/**
 * The highest `limit` to ask for, whatever position a cursor names: a cursor may be forged. It is more items than an
 * answer of 16 MiB, the default of MAX_RESPONSE_BYTES, can usually hold.
 */
const MAX_LIMIT_ASKED = 100_000;

/**
 * Asks for a longer and longer first page, so page n costs the items of n pages. Needs only `limit` and `has_more`, which
 * every service has. Source: Endpoints.
 */
export const byLimit: PagingStrategy = {
  name: 'limit',
  isOneCall: true,
  overlap: 0,
  extend(reader, segment, wanted) {
    // A search for the end of the list doubles `wanted`, and stops at the bound before it fails.
    if (wanted > MAX_LIMIT_ASKED && segment.items.length === 0) {
      throw new PageOutOfReachError(
        `This page is out of reach: it needs the first ${wanted} items of the list, and one call asks for ${MAX_LIMIT_ASKED} at most. Set PAGING to the way the service pages.`,
      );
    }
    const limit = Math.min(wanted, MAX_LIMIT_ASKED);
    const hasRead = segment.items.length >= SAFE_LIMIT;
    // What was read before is all that is in reach if the service refuses more.
    return reader
      .ask({ limit }, hasRead)
      .then(({ items, hasMore }) =>
        items.length < segment.items.length && hasMore
          ? segment
          : { items, hasMore, start: 0 },
      );
  },
};
