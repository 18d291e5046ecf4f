import { type Costs, fetchById, WRITE } from '../cost/declaration.ts';
import type { Resolvers } from '../generated/types.ts';
import { messageDeleted, messageSent, messageUpdated } from '../live/notice.ts';
import type { GatewayContext } from './context.ts';
import { followLink } from './link.ts';
import { toNodeId } from './node-id.ts';

export const message: Resolvers = {
  Query: {
    message: (_root, { id }, { loaders }) => loaders.message.load(id),
    messages: (_root, filter, { rest, loaders, paginate }, info) =>
      paginate(rest.messages.list(filter), info, loaders.message),
  },
  Message: {
    nodeId: ({ id }) => toNodeId('Message', id),
    conversation: ({ conversationId }, _args, { loaders }, info) =>
      followLink(conversationId, (id) => loaders.conversation.load(id), info),
    reactions: ({ reactions }, _args, { listQuota }, info) =>
      listQuota.reserve(reactions, info),
    attachments: ({ attachments }, _args, { listQuota }, info) =>
      listQuota.reserve(attachments, info),
    readAtIso: ({ readAt, createdAt }, _args, { timestamps }) =>
      timestamps.toIso(readAt, createdAt),
    createdAtIso: ({ createdAt }, _args, { timestamps }) =>
      timestamps.toIso(createdAt, createdAt),
    updatedAtIso: ({ updatedAt, createdAt }, _args, { timestamps }) =>
      timestamps.toIso(updatedAt, createdAt),
  },
  Contact: {
    lastActiveAtIso: ({ lastActiveAt, createdAt }, _args, { timestamps }) =>
      timestamps.toIso(lastActiveAt, createdAt),
    createdAtIso: ({ createdAt }, _args, { timestamps }) =>
      timestamps.toIso(createdAt, createdAt),
  },
  Reaction: {
    usernames: ({ usernames }, _args, { listQuota }, info) =>
      listQuota.reserve(usernames, info),
    count: ({ usernames }) => usernames.length,
  },
  Mutation: {
    sendMessage: async (_root, { input }, { rest, loaders, afterWrite }) => ({
      message: await afterWrite(
        rest.messages.create(input),
        messageSent(input.conversationId),
        loaders.message,
      ),
    }),
    updateMessage: async (_root, { input }, { rest, loaders, live, afterWrite }) => ({
      message: await afterWrite(
        rest.messages.update(input.id, input),
        messageUpdated(input.id, live.conversationOf(input.id)),
        loaders.message,
      ),
    }),
    deleteMessage: async (_root, { input }, context) => {
      const notice = messageDeleted(input.id, await conversationOf(input.id, context));
      await context.afterWrite(context.rest.messages.delete(input.id), () => notice);
      return {
        deletedMessageId: input.id,
        deletedMessageNodeId: toNodeId('Message', input.id),
      };
    },
  },
};

/**
 * The conversation of a message that is about to be deleted, for those who watch conversations. The answer to a deletion
 * does not say it, so if no window shows the message, it is read first. Null if it is not needed, or cannot be read.
 */
async function conversationOf(
  id: string,
  { loaders, live, budget }: GatewayContext,
): Promise<string | null> {
  const shownIn = live.conversationOf(id);
  if (shownIn !== null || !live.watchesConversations() || !budget.takeSlack())
    return shownIn;
  const message = await loaders.message.load(id).catch(() => null);
  return message?.conversationId ?? null;
}

export const messageCosts: Costs = {
  Query: {
    message: fetchById('Message'),
    messages: {
      kind: 'list',
      owner: { argument: 'conversationId', type: 'Conversation' },
    },
  },
  Message: {
    conversation: { kind: 'link', leadsBack: true },
  },
  Mutation: {
    sendMessage: WRITE,
    updateMessage: WRITE,
    deleteMessage: { kind: 'write', mayRead: true },
  },
};
