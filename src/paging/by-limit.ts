import type { PagingStrategy } from './strategy.ts';

/**
 * Asks for an ever longer first page: leans on `limit` and `has_more` alone, all that the interface documents.
 * Page n carries the n pages up to it. Source: GET /v1/messages, GET /v1/conversations.
 */
export const byLimit: PagingStrategy = {
  name: 'limit',
  isOneCall: true,
  overlap: 0,
  async extend(reader, _stretch, wanted) {
    const { items, hasMore } = await reader.ask({ limit: wanted });
    const isCapped = hasMore && items.length < wanted;
    return {
      items,
      hasMore,
      stuckBecause: isCapped
        ? `of ${wanted} items asked for the service gives ${items.length} at a time; set PAGING to the parameter it pages by`
        : null,
    };
  },
};
