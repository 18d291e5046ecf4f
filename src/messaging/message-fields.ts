import { type Costs, type FieldCost, fetchById, WRITE } from '../cost/declaration.ts';
import type { AddReactionInput, Resolvers } from '../generated/types.ts';
import type { Touch } from '../live/notice.ts';
import type { Change } from '../live/snapshot.ts';
import type { WatchedList } from '../live/watched-list.ts';
import type { GatewayContext } from '../resolvers/context.ts';
import { followLink, itemOf } from '../resolvers/link.ts';
import { toNodeId } from '../resolvers/node-id.ts';
import { selects } from '../resolvers/selects.ts';
import { conversations } from './conversation.ts';
import { allConversations } from './conversation-fields.ts';
import { type Message, messages } from './message.ts';
import { READS_TO_REACT, react } from './react.ts';
import { findOwn, findUsername, findViewer, noteOwn, SEARCH_CALLS } from './viewer.ts';

const selectsIsMine = selects('isMine');

export const messageFields: Resolvers = {
  Query: {
    viewer: (_root, _args, context) => findViewer(context),
    message: (_root, { id }, { loaders }) => loaders.of(messages).load(id),
    messages: (_root, filter, { send, paginate }, info) =>
      paginate(messages.list(send, filter), messages, info),
  },
  Message: {
    nodeId: ({ id }) => toNodeId('Message', id),
    conversation: ({ conversationId }, _args, context, info) =>
      followLink(conversationId, conversations, context, info),
    isMine: (message, _args, context) => findOwn(message, context),
    reactions: (message, _args, { listQuota }, info) => {
      const reactions = listQuota.reserve(message.reactions, info);
      return selectsIsMine(info)
        ? reactions.map((reaction) => ({ ...reaction, message }))
        : reactions;
    },
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
    isMine: async ({ usernames, message }, _args, context) => {
      const username = message ? await findUsername(message, context) : null;
      return username === null ? null : usernames.includes(username);
    },
  },
  Mutation: {
    sendMessage: async (_root, { input }, context) => {
      const message = await context.afterWrite(
        messages.create(context.send, input),
        // The service may spell the id of the conversation differently.
        (sent) => within(input.conversationId, sent?.conversationId),
        messages,
      );
      noteOwn(message, context);
      return { message };
    },
    updateMessage: async (_root, { input }, { send, live, afterWrite, inTurn }) => {
      const shownIn = live.ownerOf('Message', input.id);
      const update = () => messages.update(send, input.id, input);
      return {
        message: await afterWrite(
          // Not between a read and a write of `addReaction`, which would undo it.
          input.reactions === undefined ? update() : inTurn(input.id, update),
          (updated) => changed(input.id, updated?.conversationId ?? shownIn),
          messages,
        ),
      };
    },
    addReaction: (_root, { input }, context) => afterReact(input, true, context),
    removeReaction: (_root, { input }, context) => afterReact(input, false, context),
    deleteMessage: async (_root, { input }, context) => {
      const touches = changed(input.id, await conversationOf(input.id, context));
      await context.afterWrite(messages.delete(context.send, input.id), () => touches);
      return {
        deletedMessageId: input.id,
        deletedMessageNodeId: toNodeId('Message', input.id),
      };
    },
  },
  Subscription: {
    messageChanged: {
      subscribe: (_root, { conversationId }, context) =>
        context.live.subscribe(
          conversationId == null ? allMessages : messagesOf(conversationId),
          context,
        ),
      // The types of codegen do not know errors as values, which fail their field.
      resolve: toEvent as () => never,
    },
  },
  MessageChange: {
    messageNodeId: ({ messageId }) => toNodeId('Message', messageId),
  },
};

/** Who the caller is may have to be read off the conversation of the message. */
const THROUGH_CONVERSATION: FieldCost = {
  kind: 'through',
  type: 'Message',
  link: 'conversation',
};

export const messageCosts: Costs = {
  Query: {
    viewer: { kind: 'search', calls: SEARCH_CALLS },
    message: fetchById('Message'),
    messages: {
      kind: 'list',
      owner: { argument: 'conversationId', type: 'Conversation' },
    },
  },
  Message: {
    conversation: { kind: 'link', leadsBack: true },
    isMine: THROUGH_CONVERSATION,
  },
  Reaction: {
    isMine: THROUGH_CONVERSATION,
  },
  Mutation: {
    sendMessage: WRITE,
    updateMessage: WRITE,
    addReaction: { kind: 'write', reads: READS_TO_REACT },
    removeReaction: { kind: 'write', reads: READS_TO_REACT },
    deleteMessage: { kind: 'write', mayRead: true },
  },
};

async function afterReact(
  input: AddReactionInput,
  isAdded: boolean,
  context: GatewayContext,
): Promise<{ message: Message }> {
  const { messageId } = input;
  const shownIn = context.live.ownerOf('Message', messageId);
  const message = await context.afterWrite(
    react(input, isAdded, context),
    (written) => changed(messageId, written?.conversationId ?? shownIn),
    messages,
  );
  return { message };
}

/** Messages of one conversation, or of all, to be watched. */
const watchedMessages: Pick<WatchedList<Message>, 'typeName' | 'ownerIdOf'> = {
  typeName: 'Message',
  ownerIdOf: ({ conversationId }) => conversationId,
};

/** The messages of one conversation, to be watched. */
export const messagesOf = (conversationId: string): WatchedList<Message> => ({
  ...watchedMessages,
  key: `messages ${conversationId}`,
  list: (send) => messages.list(send, { conversationId }),
  isTouched: ({ type, id }, _isOwn, { has }) =>
    type === 'Conversation' ? id === conversationId : type === 'Message' && has(id),
  ownerNoun: 'conversation',
});

/** The messages of all conversations of a caller, to be watched. */
const allMessages: WatchedList<Message> = {
  ...watchedMessages,
  key: 'messages',
  list: (send) => messages.list(send, {}),
  // The caller's own write may be in a conversation of which no message is in the window.
  isTouched: ({ type, id }, isOwn, { has, hasOwner }) =>
    type === 'Conversation' ? isOwn || hasOwner(id) : type === 'Message' && has(id),
};

function toEvent(
  change: Change<Message>,
  { conversationId }: { readonly conversationId?: string | null },
  { loaders }: GatewayContext,
) {
  return {
    kind: change.kind,
    messageId: change.id,
    // Of a message whose conversation cannot be read, the value is the error.
    conversationId: conversationId ?? change.ownerId ?? change.value,
    message: itemOf(change, loaders.of(messages)),
  };
}

/** A write to the messages of a conversation touches it, whichever of its spellings others use. */
const within = (...ids: (string | null | undefined)[]): Touch[] =>
  ids
    .filter((id) => id != null)
    .map((id) => ({ type: 'Conversation', id, kind: 'within' }));

/** What an update or a deletion touches. `shownIn`: the conversation of the message, if it is known. */
const changed = (id: string, shownIn: string | null): Touch[] => [
  { type: 'Message', id, kind: 'changed' },
  ...within(shownIn),
];

/**
 * The conversation of a message that is about to be deleted, for those who watch conversations. The answer to a deletion
 * does not say it, so if no window shows the message, it is read first. Null if it is not needed, or cannot be read.
 */
async function conversationOf(
  id: string,
  { loaders, live, budget }: GatewayContext,
): Promise<string | null> {
  const shownIn = live.ownerOf('Message', id);
  if (shownIn !== null || !live.mayBeWatched(allConversations) || !budget.takeSlack())
    return shownIn;
  const message = await loaders
    .of(messages)
    .load(id)
    .catch(() => null);
  return message?.conversationId ?? null;
}
