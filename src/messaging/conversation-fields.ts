import type { GraphQLResolveInfo } from 'graphql';
import { type Costs, type FirstCost, fetchById, WRITE } from '../cost/declaration.ts';
import type { Resolvers } from '../generated/types.ts';
import type { Touch } from '../live/notice.ts';
import type { Change } from '../live/snapshot.ts';
import type { WatchedList } from '../live/watched-list.ts';
import type { Connection } from '../paging/connection.ts';
import type { GatewayContext } from '../resolvers/context.ts';
import { dateTimes } from '../resolvers/date-times.ts';
import { followLink, itemOf } from '../resolvers/link.ts';
import { toNodeId } from '../resolvers/node-id.ts';
import { subscribe } from '../resolvers/subscribe.ts';
import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';
import { toConversationChange } from './archived-at.ts';
import { type Conversation, conversations } from './conversation.ts';
import { type Message, messages } from './message.ts';
import { isSentByCaller, isWithOneContact } from './viewer.ts';

/** How many of the newest messages are counted. */
const UNREAD_AT_MOST = 20;

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
    latestMessage: async ({ id }, _args, context, info) => {
      const page = await readNewest(id, context, info);
      // The types of codegen do not know errors as values, which fail their field.
      return (latestOf(page?.nodes ?? []) ?? null) as never;
    },
    contact: async (conversation, _args, context, info) => {
      if (!isWithOneContact(conversation)) return null;
      const page = await readNewest(conversation.id, context, info);
      const shown = messagesIn(page).find(
        (message) => message?.contact.id === conversation.contactId,
      );
      return shown?.contact ?? null;
    },
    unreadCount: async (conversation, { atMost }, context, info) => {
      const page = await readNewest(conversation.id, context, info);
      const unread = page && unreadIn(page, atMost ?? UNREAD_AT_MOST, conversation);
      return unread && countOthers(unread, conversation, context);
    },
    hasNewActivity: ({ lastActiveAt, lastOpenedAt }) =>
      lastActiveAt !== null && (lastOpenedAt === null || lastActiveAt > lastOpenedAt),
    ...dateTimes('lastActiveAt', 'lastOpenedAt', 'createdAt', 'archivedAt'),
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
      subscribe: (_root, args, context, info) =>
        subscribe(allConversations, args, context, info),
      // The types of codegen do not know errors as values, which fail their field.
      resolve: toEvent as () => never,
    },
  },
  ConversationChange: {
    conversationNodeId: ({ conversationId }) => toNodeId('Conversation', conversationId),
  },
};

const NEWEST_MESSAGES: FirstCost = {
  kind: 'first',
  list: 'messages',
  args: { order: 'NEWEST_FIRST' },
};

export const conversationCosts: Costs = {
  Query: {
    conversation: fetchById('Conversation'),
    conversations: { kind: 'list' },
  },
  Conversation: {
    pinnedMessage: { kind: 'link', leadsBack: false },
    messages: { kind: 'list' },
    latestMessage: NEWEST_MESSAGES,
    contact: { ...NEWEST_MESSAGES, needs: { otherwise: DEFAULT_PAGE_SIZE } },
    unreadCount: {
      ...NEWEST_MESSAGES,
      // A shorter page may hold nothing but pinned messages.
      needs: {
        argument: 'atMost',
        otherwise: UNREAD_AT_MOST,
        least: DEFAULT_PAGE_SIZE,
      },
    },
  },
  Mutation: {
    createConversation: WRITE,
    updateConversation: { kind: 'write', mayRead: true },
    deleteConversation: WRITE,
  },
};

/** The newest messages of a conversation: the page that the price of the field says. */
const readNewest = (
  conversationId: string,
  { send, paginate }: GatewayContext,
  info: GraphQLResolveInfo,
): Promise<Connection<Message> | null> =>
  paginate(messages.list(send, { conversationId }), messages, info);

/** The messages of a page; null for a malformed one. */
const messagesIn = (page: Connection<Message> | null): (Message | null)[] =>
  (page?.nodes ?? []).map((node) => (isMalformed(node) ? null : node));

/** The message of a page that was created last, because a service may list a few out of order, such as pinned ones. If the first is malformed, that one. */
const latestOf = (nodes: Connection<Message>['nodes']) =>
  nodes.reduce<(typeof nodes)[number] | undefined>((latest, node) => {
    if (latest === undefined) return node;
    if (isMalformed(latest) || isMalformed(node)) return latest;
    return node.createdAt > latest.createdAt ? node : latest;
  }, undefined);

const isMalformed = (node: Message | Error | null): node is Error | null =>
  node === null || node instanceof Error;

/** Those of the newest messages that came since the conversation was last opened; null if the page does not show which these are. */
function unreadIn(
  page: Connection<Message>,
  atMost: number,
  { lastOpenedAt }: Conversation,
): readonly Message[] | null {
  const all = messagesIn(page);
  if (!all.every((message) => message !== null)) return null;
  const newest = all
    .toSorted((one, other) => other.createdAt - one.createdAt)
    .slice(0, atMost);
  const isUnread = ({ createdAt }: Message) =>
    lastOpenedAt === null || createdAt > lastOpenedAt;
  // Otherwise a read message that is listed first, such as a pinned one, may have taken the place of an unread one.
  const isKnown =
    !page.hasNextPage || newest.every(isUnread) || !all.slice(-1).some(isUnread);
  return isKnown ? newest.filter(isUnread) : null;
}

/** How many of these messages are of others; null if that is not known. */
async function countOthers(
  newest: readonly Message[],
  conversation: Conversation,
  context: GatewayContext,
): Promise<number | null> {
  let count = 0;
  for (const message of newest) {
    const own = await isSentByCaller(message, conversation, context);
    if (own === null) return null;
    if (!own) count += 1;
  }
  return count;
}

/** The conversations of a caller, to be watched. */
export const allConversations: WatchedList<Conversation> = {
  key: 'conversations',
  typeName: 'Conversation',
  list: (send) => conversations.list(send, {}),
  // The caller's own write may have touched a conversation that is not in the window.
  isTouched: ({ type, id, kind }, isOwn, { has }) =>
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
    conversation: itemOf(change.value, loaders.of(conversations)),
    resumeToken: change.resumePoint?.token,
  };
}
