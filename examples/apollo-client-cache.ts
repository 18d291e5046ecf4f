import type { TypePolicies } from '@apollo/client/cache';
import { relayStylePagination } from '@apollo/client/utilities';

/**
 * Teaches Apollo Client's cache to page through this schema:
 *
 *     new InMemoryCache({ typePolicies: messagingTypePolicies })
 *
 * `fetchMore({ variables: { after: pageInfo.endCursor } })` then extends the list on the screen.
 * Select `edges { cursor node { id } }` and `pageInfo`; the cache does not merge `nodes`.
 * The cache stores objects by `id`, its default, so the payload of a mutation updates them on every screen.
 * A failed list reads as an empty one with `hasNextPage: true`, so check `error`.
 */
export const messagingTypePolicies: TypePolicies = {
  Query: {
    fields: {
      // One stored list for each combination of filters.
      conversations: relayStylePagination(['muted', 'archived', 'pinned', 'groupId']),
      messages: relayStylePagination(['conversationId', 'order']),
    },
  },
  Conversation: {
    fields: {
      // For previews only. A preview with `first: 1` replaces the pages that were loaded for this field,
      // so page through `Query.messages` instead.
      messages: relayStylePagination(['order']),
    },
  },
  Message: {
    // The newest reactions replace the others. Otherwise Apollo warns in development when there are fewer than before.
    fields: { reactions: { merge: false } },
  },
};
