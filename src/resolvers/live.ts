import type { Resolvers } from '../generated/types.ts';
import type { Change, ConversationChange, MessageChange } from '../live/change.ts';
import { allConversations, messagesOf } from '../live/source.ts';
import type { Conversation } from '../rest/conversation.ts';
import type { Identified } from '../rest/list.ts';
import type { Message } from '../rest/message.ts';
import type { GatewayContext } from './context.ts';
import type { Loader } from './loaders.ts';
import { toNodeId } from './node-id.ts';

/** The item as it is now. Later, it is not fetched again by id. */
function known<T extends Identified>({ value }: Change<T>, loader: Loader<T>) {
  if (value !== null && !(value instanceof Error)) loader.prime(value);
  return value;
}

/** The event of a change. */
const toMessageChange = (
  change: Change<Message>,
  { conversationId }: { readonly conversationId: string },
  { loaders }: GatewayContext,
): MessageChange => ({
  kind: change.kind,
  messageId: change.id,
  conversationId,
  message: known(change, loaders.message),
});

const toConversationChange = (
  change: Change<Conversation>,
  _args: object,
  { loaders }: GatewayContext,
): ConversationChange => ({
  kind: change.kind,
  conversationId: change.id,
  conversation: known(change, loaders.conversation),
});

export const live: Resolvers = {
  Subscription: {
    messageChanged: {
      subscribe: (_root, { conversationId }, { live: lists, token, address }) =>
        lists.subscribe(messagesOf(conversationId), token, address),
      // The types of codegen do not know errors as values, which fail their field.
      resolve: toMessageChange as () => never,
    },
    conversationChanged: {
      subscribe: (_root, _args, { live: lists, token, address }) =>
        lists.subscribe(allConversations, token, address),
      resolve: toConversationChange as () => never,
    },
  },
  MessageChange: {
    messageNodeId: ({ messageId }) => toNodeId('Message', messageId),
  },
  ConversationChange: {
    conversationNodeId: ({ conversationId }) => toNodeId('Conversation', conversationId),
  },
};
