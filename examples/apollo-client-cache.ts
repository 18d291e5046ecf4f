import type { TypePolicies } from '@apollo/client/cache';
import { relayStylePagination } from '@apollo/client/utilities';

/**
 * What Apollo Client's cache needs to know to page through this schema:
 *
 *     new InMemoryCache({ typePolicies: messagingTypePolicies })
 *
 * `fetchMore({ variables: { after: pageInfo.endCursor } })` then grows the list that is on the screen.
 * Ask for `edges { cursor node { id } }` and `pageInfo`; `nodes` would hold the last page alone.
 * Objects are stored under their `id`, as they are by default, so that the payload of a mutation updates them wherever
 * they are shown. A list that failed reads as an empty one: `error` tells the two apart.
 */
export const messagingTypePolicies: TypePolicies = {
  Query: {
    fields: {
      // One stored list for each combination of filters.
      conversations: relayStylePagination(['muted', 'archived', 'pinned', 'groupId']),
      messages: relayStylePagination(['conversationId']),
    },
  },
  Conversation: {
    fields: {
      // One list for each conversation. A preview that asks for its first message replaces what
      // was paged to: page through `Query.messages`, and keep this one for previews.
      messages: relayStylePagination(),
    },
  },
};
