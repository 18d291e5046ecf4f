import { type Costs, fetchById, WRITE } from '../cost/declaration.ts';
import type { Resolvers } from '../generated/types.ts';
import type { Touch } from '../live/notice.ts';
import type { Change } from '../live/snapshot.ts';
import type { WatchedList } from '../live/watched-list.ts';
import type { GatewayContext } from '../resolvers/context.ts';
import { followLink, itemOf } from '../resolvers/link.ts';
import { toNodeId } from '../resolvers/node-id.ts';
import { toConversationChange } from './archived-at.ts';
import { type Conversation, conversations } from './conversation.ts';
import { messages } from './message.ts';

export const conversationFields: Resolvers = {
  Query: {
    conversation: (_root, { id }, { loaders }) => loaders.of(conversations).load(id),
    conversations: (_root, filter, { send, paginate }, info) =>
      paginate(conversations.list(send, filter), conversations, info),
  },
  Conversation: {
    nodeId: ({ id }) => toNodeId('Conversation', id),
    group: ({ groupId }) => (groupId === null ? null : { id: groupId }),
    pinnedMessage: ({ pinnedMessageId }, _args, context, info) =>
      pinnedMessageId === null
        ? null
        : followLink(pinnedMessageId, messages, context, info),
    messages: ({ id }, _page, { send, paginate }, info) =>
      paginate(messages.list(send, { conversationId: id }), messages, info),
    latestMessage: async ({ id }, _args, { send, paginate }, info) => {
      const list = messages.list(send, { conversationId: id });
      const page = await paginate(list, messages, info);
      // The types of codegen do not know errors as values, which fail their field.
      return (page?.edges[0]?.node ?? null) as never;
    },
    hasNewActivity: ({ lastActiveAt, lastOpenedAt }) =>
      lastActiveAt !== null && (lastOpenedAt === null || lastActiveAt > lastOpenedAt),
    lastActiveAtIso: ({ lastActiveAt, createdAt }, _args, { timestamps }) =>
      timestamps.toIso(lastActiveAt, createdAt),
    lastOpenedAtIso: ({ lastOpenedAt, createdAt }, _args, { timestamps }) =>
      timestamps.toIso(lastOpenedAt, createdAt),
    createdAtIso: ({ createdAt }, _args, { timestamps }) =>
      timestamps.toIso(createdAt, createdAt),
    archivedAtIso: ({ archivedAt, createdAt }, _args, { timestamps }) =>
      timestamps.toIso(archivedAt, createdAt),
  },
  Mutation: {
    createConversation: async (_root, { input }, { send, afterWrite }) => ({
      conversation: await afterWrite(
        conversations.create(send, input),
        (created) => touched(created?.id ?? null, 'created'),
        conversations,
      ),
    }),
    updateConversation: async (_root, { input }, context) => {
      const { send, afterWrite } = context;
      const change = await toConversationChange(input, context);
      return {
        conversation: await afterWrite(
          conversations.update(send, input.id, change),
          () => touched(input.id, 'changed'),
          conversations,
        ),
      };
    },
    deleteConversation: async (_root, { input }, { send, afterWrite }) => {
      await afterWrite(conversations.delete(send, input.id), () =>
        touched(input.id, 'changed'),
      );
      return {
        deletedConversationId: input.id,
        deletedConversationNodeId: toNodeId('Conversation', input.id),
      };
    },
  },
  Subscription: {
    conversationChanged: {
      subscribe: (_root, _args, context) =>
        context.live.subscribe(allConversations, context),
      // The types of codegen do not know errors as values, which fail their field.
      resolve: toEvent as () => never,
    },
  },
  ConversationChange: {
    conversationNodeId: ({ conversationId }) => toNodeId('Conversation', conversationId),
  },
};

export const conversationCosts: Costs = {
  Query: {
    conversation: fetchById('Conversation'),
    conversations: { kind: 'list' },
  },
  Conversation: {
    pinnedMessage: { kind: 'link', leadsBack: false },
    messages: { kind: 'list' },
    latestMessage: {
      kind: 'first',
      list: 'messages',
      args: { order: 'NEWEST_FIRST' },
    },
  },
  Mutation: {
    createConversation: WRITE,
    updateConversation: WRITE,
    deleteConversation: WRITE,
  },
};

/** The conversations of a caller, to be watched. */
export const allConversations: WatchedList<Conversation> = {
  key: 'conversations',
  typeName: 'Conversation',
  list: (send) => conversations.list(send, {}),
  // The caller's own write may have touched a conversation that is not in the window.
  isTouched: ({ type, id, kind }, isOwn, has) =>
    isOwn || (type === 'Conversation' && (has(id) || (kind === 'created' && 'maybe'))),
  // A service may count `last_active_at` in seconds, and an edit or a deletion does not change it.
  isWritten: ({ type, kind }) => type === 'Conversation' && kind === 'within',
};

const touched = (id: string | null, kind: Touch['kind']): Touch[] => [
  { type: 'Conversation', id, kind },
];

function toEvent(
  change: Change<Conversation>,
  _args: object,
  { loaders }: GatewayContext,
) {
  return {
    kind: change.kind,
    conversationId: change.id,
    conversation: itemOf(change, loaders.of(conversations)),
  };
}
