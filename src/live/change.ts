import type { Conversation } from '../rest/conversation.ts';
import type { RestDecodeError } from '../rest/errors.ts';
import type { Message } from '../rest/message.ts';

/** What happened to an item of a watched list. */
export interface Change<T> {
  readonly kind: 'CREATED' | 'UPDATED' | 'DELETED';
  readonly id: string;
  /** The item as it is now, or why it cannot be read; null when it was deleted. */
  readonly value: T | RestDecodeError | null;
  /** The approximate length of the item as JSON. Unit: characters. */
  readonly size: number;
}

/** The event of a subscription to messages. */
export interface MessageChange extends Pick<Change<Message>, 'kind'> {
  readonly messageId: string;
  readonly conversationId: string;
  readonly message: Change<Message>['value'];
}

/** The event of a subscription to conversations. */
export interface ConversationChange extends Pick<Change<Conversation>, 'kind'> {
  readonly conversationId: string;
  readonly conversation: Change<Conversation>['value'];
}
