import type { Conversation } from '../rest/conversation.ts';
import type { Message } from '../rest/message.ts';
import type { ChangeNotice } from './bus.ts';

/** What a write was about to change, and the object that the service returned; null if it is not known what happened. */
type ToNotice<T> = (returned: T | null) => ChangeNotice;

/** A message was sent to a conversation. The service may spell its id differently. */
export const messageSent =
  (conversationId: string): ToNotice<Message> =>
  (message) => ({
    conversationIds: message
      ? [conversationId, message.conversationId]
      : [conversationId],
    messageIds: [],
    hasCreatedConversation: false,
  });

export const messageUpdated =
  (id: string): ToNotice<Message> =>
  (message) => ({
    conversationIds: message ? [message.conversationId] : [],
    messageIds: [id],
    hasCreatedConversation: false,
  });

/** The conversation of the message is not known here: a watch of it has the message in its window. */
export const messageDeleted = (id: string): ChangeNotice => ({
  conversationIds: [],
  messageIds: [id],
  hasCreatedConversation: false,
});

export const conversationCreated: ToNotice<Conversation> = (conversation) => ({
  conversationIds: conversation ? [conversation.id] : [],
  messageIds: [],
  hasCreatedConversation: true,
});

/** A conversation was updated or deleted. */
export const conversationChanged = (id: string): ChangeNotice => ({
  conversationIds: [id],
  messageIds: [],
  hasCreatedConversation: false,
});
