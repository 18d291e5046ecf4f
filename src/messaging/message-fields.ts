import { type Costs, type FieldCost, fetchById, WRITE } from '../cost/declaration.ts';
import type { Resolvers } from '../generated/types.ts';
import { findKey } from '../resolvers/client-mutation-id.ts';
import { dateTimes } from '../resolvers/date-times.ts';
import { followLink } from '../resolvers/link.ts';
import { toNodeId } from '../resolvers/node-id.ts';
import { selects } from '../resolvers/selects.ts';
import { subscribe } from '../resolvers/subscribe.ts';
import { checkId } from '../rest/path.ts';
import { conversations } from './conversation.ts';
import { messages } from './message.ts';
import {
  allMessages,
  messagesOf,
  messageTouches,
  toMessageChange,
  touchesOfDeletion,
} from './message-changes.ts';
import { READS_TO_REACT, react } from './react.ts';
import { includesUsername } from './reactions.ts';
import { sendMessage } from './send-message.ts';
import {
  findIfSentByCaller,
  findUsername,
  findViewer,
  isSentByCaller,
  learnCaller,
  SEARCH_CALLS,
} from './viewer.ts';

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
    isMine: (message, _args, context) => findIfSentByCaller(message, context),
    reactions: (message, _args, { listQuota }, info) => {
      const reactions = listQuota.reserve(message.reactions.value, info);
      return selectsIsMine(info)
        ? reactions.map((reaction) => ({ ...reaction, message }))
        : reactions;
    },
    attachments: ({ attachments }, _args, { listQuota }, info) =>
      listQuota.reserve(attachments.value, info),
    ...dateTimes('readAt', 'createdAt', 'updatedAt'),
  },
  Contact: dateTimes('lastActiveAt', 'createdAt'),
  Reaction: {
    usernames: ({ usernames }, _args, { listQuota }, info) =>
      listQuota.reserve(usernames, info),
    count: ({ usernames }) => usernames.length,
    isMine: async ({ usernames, message }, _args, context) => {
      const username = message ? await findUsername(message, context) : null;
      return username === null ? null : includesUsername(usernames, username);
    },
  },
  Mutation: {
    sendMessage: async (_root, { input }, context) => {
      const message = await sendMessage(input, context);
      learnCaller(message, context);
      return { message };
    },
    updateMessage: async (_root, { input }, { send, live, afterWrite, inTurn }) => {
      const { id, reactions } = input;
      const touches = messageTouches(id, live);
      const update = (mayWrite?: () => boolean) =>
        messages.update(send, id, input, mayWrite);
      // Not between a read and a write of `addReaction`, which would undo it.
      const write = reactions === undefined ? update() : inTurn(checkId(id), update);
      return { message: await afterWrite(write, touches, messages) };
    },
    addReaction: async (_root, { input }, context) => ({
      message: await react('add', input, context),
    }),
    removeReaction: async (_root, { input }, context) => ({
      message: await react('remove', input, context),
    }),
    deleteMessage: async (_root, { input }, context) => {
      const touches = await touchesOfDeletion(input.id, context);
      await context.afterWrite(messages.delete(context.send, input.id), () => touches);
      return {
        deletedMessageId: input.id,
        deletedMessageNodeId: toNodeId('Message', input.id),
      };
    },
  },
  Subscription: {
    messageChanged: {
      subscribe: (_root, args, context, info) =>
        subscribe(
          args.conversationId == null ? allMessages : messagesOf(args.conversationId),
          args,
          context,
          info,
        ),
      // The types of codegen do not know errors as values, which fail their field.
      resolve: toMessageChange as () => never,
    },
  },
  MessageChange: {
    messageNodeId: ({ messageId }) => toNodeId('Message', messageId),
    async clientMutationId({ messageId, kind, message }, _args, context) {
      if (kind !== 'CREATED' || !(message && 'contact' in message))
        return findKey(messageId, false, context);
      const isMine = await isSentByCaller(message, null, context);
      return findKey(messageId, isMine !== false, context);
    },
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
    sendMessage: { kind: 'write', onceIn: { order: 'NEWEST_FIRST' } },
    updateMessage: WRITE,
    addReaction: { kind: 'write', reads: READS_TO_REACT },
    removeReaction: { kind: 'write', reads: READS_TO_REACT },
    deleteMessage: { kind: 'write', mayRead: true },
  },
};
