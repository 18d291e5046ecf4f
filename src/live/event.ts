import type { Conversation } from '../rest/conversation.ts';
import type { RestDecodeError } from '../rest/errors.ts';
import type { Message } from '../rest/message.ts';
import type { Change } from './change.ts';

/** A change of a message, in a conversation that is watched. */
export interface MessageChange {
  readonly kind: Change<Message>['kind'];
  readonly messageId: string;
  readonly conversationId: string;
  /** An error: the service sent it malformed. */
  readonly message: Message | RestDecodeError | null;
}

/** A change of a conversation. */
export interface ConversationChange {
  readonly kind: Change<Conversation>['kind'];
  readonly conversationId: string;
  /** An error: the service sent it malformed. */
  readonly conversation: Conversation | RestDecodeError | null;
}
