import type { Conversation } from '../rest/conversation.ts';
import type { Message } from '../rest/message.ts';
import type { ChangeNotice } from './bus.ts';

/** What a write was about to change, and the object that the service returned; null if it is not known what happened. */
type ToNotice<T> = (returned: T | null) => ChangeNotice;

const NOTHING: ChangeNotice = {
  conversationIds: [],
  messageIds: [],
  hasChangedMessages: false,
  hasCreatedConversation: false,
};

/** A message was sent to a conversation. The service may spell its id differently. */
export const messageSent =
  (id: string): ToNotice<Message> =>
  (message) => ({
    ...NOTHING,
    conversationIds: message ? [id, message.conversationId] : [id],
    hasChangedMessages: true,
  });

/** `shownIn`: the conversation of the message, if it is known before the write. */
export const messageUpdated =
  (id: string, shownIn: string | null): ToNotice<Message> =>
  (message) =>
    messageDeleted(id, message?.conversationId ?? shownIn);

export const messageDeleted = (id: string, shownIn: string | null): ChangeNotice => ({
  ...NOTHING,
  conversationIds: shownIn === null ? [] : [shownIn],
  messageIds: [id],
  hasChangedMessages: true,
});

export const conversationCreated: ToNotice<Conversation> = (conversation) => ({
  ...NOTHING,
  conversationIds: conversation ? [conversation.id] : [],
  hasCreatedConversation: true,
});

/** A conversation was updated or deleted. */
export const conversationChanged = (id: string): ChangeNotice => ({
  ...NOTHING,
  conversationIds: [id],
});
