import { type Conversation, Conversations } from '../rest/conversation.ts';
import type { Item, List } from '../rest/list.ts';
import { type Message, Messages } from '../rest/message.ts';
import type { Send } from '../rest/send.ts';
import type { ChangeNotice } from './notice.ts';

/** A list that can be watched. */
export interface Source<T> {
  /** Identifies it among the lists of one token. */
  readonly key: string;
  list(send: Send): List<T>;
  /** The times by which the service may have ordered it; the first one that is in order counts. Open point: order of lists. */
  readonly times: readonly [TimeOf<T>, ...TimeOf<T>[]];
  /** Whether a write touched what it shows. `isOwn`: it was made with the token of the watch; `has`: whether an id is in the window. */
  isTouched(
    notice: ChangeNotice,
    isOwn: boolean,
    has: (id: string) => boolean,
  ): boolean | 'maybe';
  /** The ids of its items that a write has changed, even if their fields do not show it. */
  written(notice: ChangeNotice): readonly string[];
  /** Of messages: the conversation that all of them name. Null if they do not agree: the service may ignore the filter. */
  conversationOf?(messages: readonly Item<T>[]): string | null;
}

/** A time of an item; null if it has none. Unit: the service's. */
export type TimeOf<T> = (value: T) => number | null;

/** Null for a malformed item, too. */
export const timeOfItem = <T>({ value }: Item<T>, timeOf: TimeOf<T>): number | null =>
  value instanceof Error ? null : timeOf(value);

/** The messages of one conversation. */
export const messagesOf = (conversationId: string): Source<Message> => ({
  key: `messages ${conversationId}`,
  list: (send) => new Messages(send).list({ conversationId }),
  times: [({ createdAt }) => createdAt],
  isTouched: ({ conversationIds, messageIds }, _isOwn, has) =>
    conversationIds.includes(conversationId) || messageIds.some(has),
  written: () => [],
  conversationOf(messages) {
    const ids = messages.map(({ value }) =>
      value instanceof Error ? null : value.conversationId,
    );
    const [first = null] = ids;
    return ids.every((id) => id === first) ? first : null;
  },
});

/** The conversations of a caller. */
export const allConversations: Source<Conversation> = {
  key: 'conversations',
  list: (send) => new Conversations(send).list({}),
  times: [
    ({ lastActiveAt, createdAt }) => lastActiveAt ?? createdAt,
    ({ createdAt }) => createdAt,
  ],
  // The caller's own write may have touched a conversation that is not in the window.
  isTouched: ({ conversationIds, hasCreatedConversation }, isOwn, has) =>
    isOwn || conversationIds.some(has) || (hasCreatedConversation && 'maybe'),
  // A service may count `last_active_at` in seconds, and an edit or a deletion does not change it.
  written: ({ conversationIds, hasChangedMessages }) =>
    hasChangedMessages ? conversationIds : [],
};
