import type { Resolvers } from '../generated/types.ts';
import { followLink } from './link.ts';
import { toNodeId } from './node-id.ts';

export const message: Resolvers = {
  Query: {
    message: (_root, { id }, { loaders }) => loaders.message.load(id),
    messages: (_root, { conversationId, ...page }, { rest, loaders, paginate }) =>
      paginate(rest.messages.list({ conversationId }), page, loaders.message),
  },
  Message: {
    nodeId: ({ id }) => toNodeId('Message', id),
    conversation: ({ conversationId }, _args, { loaders }, info) =>
      followLink(conversationId, (id) => loaders.conversation.load(id), info),
    readAtIso: ({ readAt }, _args, { toIso }) => toIso(readAt),
    createdAtIso: ({ createdAt }, _args, { toIso }) => toIso(createdAt),
    updatedAtIso: ({ updatedAt }, _args, { toIso }) => toIso(updatedAt),
  },
  Contact: {
    lastActiveAtIso: ({ lastActiveAt }, _args, { toIso }) => toIso(lastActiveAt),
    createdAtIso: ({ createdAt }, _args, { toIso }) => toIso(createdAt),
  },
  Reaction: {
    count: ({ usernames }) => usernames.length,
  },
  Mutation: {
    sendMessage: async (_root, { input }, { rest, loaders, written }) => ({
      message: await written(rest.messages.create(input), loaders.message),
    }),
    updateMessage: async (_root, { input }, { rest, loaders, written }) => ({
      message: await written(rest.messages.update(input.id, input), loaders.message),
    }),
    deleteMessage: async (_root, { input }, { rest, deleted }) => {
      await deleted(rest.messages.delete(input.id));
      return { deletedMessageId: input.id };
    },
  },
};
