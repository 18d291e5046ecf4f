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
    hasChangedMessages: true,
    hasCreatedConversation: false,
  });

/** `shownIn`: the conversation of the message, as far as it is known before the write. */
export const messageUpdated =
  (id: string, shownIn: string | null): ToNotice<Message> =>
  (message) =>
    messageDeleted(id, message?.conversationId ?? shownIn);

export const messageDeleted = (
  id: string,
  conversationId: string | null,
): ChangeNotice => ({
  conversationIds: conversationId === null ? [] : [conversationId],
  messageIds: [id],
  hasChangedMessages: true,
  hasCreatedConversation: false,
});

export const conversationCreated: ToNotice<Conversation> = (conversation) => ({
  conversationIds: conversation ? [conversation.id] : [],
  messageIds: [],
  hasChangedMessages: false,
  hasCreatedConversation: true,
});

/** A conversation was updated or deleted. */
export const conversationChanged = (id: string): ChangeNotice => ({
  conversationIds: [id],
  messageIds: [],
  hasChangedMessages: false,
  hasCreatedConversation: false,
});
