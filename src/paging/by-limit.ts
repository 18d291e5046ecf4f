import type { PagingStrategy } from './strategy.ts';

/**
 * Asks for a longer and longer first page, so page n costs the items of n pages. Needs only `limit` and `has_more`, which
 * every service has. Source: Endpoints.
 */
export const byLimit: PagingStrategy = {
  name: 'limit',
  isOneCall: true,
  overlap: 0,
  async extend(reader, _segment, wanted) {
    const { items, hasMore } = await reader.ask({ limit: wanted });
    return { items, hasMore, start: 0 };
  },
};
