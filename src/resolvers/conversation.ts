import type { Resolvers } from '../generated/types.ts';
import { followLink } from './link.ts';
import { toNodeId } from './node-id.ts';

export const conversation: Resolvers = {
  Query: {
    conversation: (_root, { id }, { loaders }) => loaders.conversation.load(id),
    conversations: (
      _root,
      { muted, archived, pinned, groupId, ...page },
      { rest, loaders, paginate },
    ) =>
      paginate(
        rest.conversations.list({ muted, archived, pinned, groupId }),
        page,
        loaders.conversation,
      ),
  },
  Conversation: {
    nodeId: ({ id }) => toNodeId('Conversation', id),
    pinnedMessage: ({ pinnedMessageId }, _args, { loaders }, info) =>
      pinnedMessageId === null
        ? null
        : followLink(pinnedMessageId, (id) => loaders.message.load(id), info),
    messages: ({ id }, page, { rest, loaders, paginate }) =>
      paginate(rest.messages.list({ conversationId: id }), page, loaders.message),
    lastActiveAtIso: ({ lastActiveAt }, _args, { toIso }) => toIso(lastActiveAt),
    lastOpenedAtIso: ({ lastOpenedAt }, _args, { toIso }) => toIso(lastOpenedAt),
    createdAtIso: ({ createdAt }, _args, { toIso }) => toIso(createdAt),
    archivedAtIso: ({ archivedAt }, _args, { toIso }) => toIso(archivedAt),
  },
  Mutation: {
    createConversation: async (_root, { input }, { rest, loaders, written }) => ({
      conversation: await written(rest.conversations.create(input), loaders.conversation),
    }),
    updateConversation: async (_root, { input }, { rest, loaders, written }) => ({
      conversation: await written(
        rest.conversations.update(input.id, input),
        loaders.conversation,
      ),
    }),
    deleteConversation: async (_root, { input }, { rest, deleted }) => {
      await deleted(rest.conversations.delete(input.id));
      return { deletedConversationId: input.id };
    },
  },
};
