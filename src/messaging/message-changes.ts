import type { Live } from '../live/live.ts';
import type { Touch } from '../live/notice.ts';
import type { Change } from '../live/snapshot.ts';
import type { WatchedList } from '../live/watched-list.ts';
import type { GatewayContext } from '../resolvers/context.ts';
import { itemOf } from '../resolvers/link.ts';
import { allConversations } from './conversation-fields.ts';
import { type Message, messages } from './message.ts';

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
export const allMessages: WatchedList<Message> = {
  ...watchedMessages,
  key: 'messages',
  list: (send) => messages.list(send, {}),
  isTouched({ type, id, kind }, isOwn, { has, hasOwner }) {
    if (type === 'Message') return has(id);
    // The caller may have written to a conversation of which the window has no message.
    return type === 'Conversation' && (hasOwner(id) || (isOwn && kind === 'within'));
  },
};

export function toMessageChange(
  { kind, id, owner, value, resumePoint }: Change<Message>,
  { conversationId }: { readonly conversationId?: string | null },
  { loaders }: GatewayContext,
) {
  return {
    kind,
    messageId: id,
    conversationId: conversationId ?? owner,
    message: itemOf(value, loaders.of(messages)),
    resumeToken: resumePoint?.token,
  };
}

/** A write to the messages of a conversation touches it, whichever of its spellings others use. */
export const withinConversation = (...ids: (string | null | undefined)[]): Touch[] =>
  ids
    .filter((id) => id != null)
    .map((id) => ({ type: 'Conversation', id, kind: 'within' }));

const changed = (id: string, conversationId: string | null): Touch[] => [
  { type: 'Message', id, kind: 'changed' },
  ...withinConversation(conversationId),
];

/** What an update of a message touches. To be called before the update, which may move it out of all windows. */
export function messageTouches(
  id: string,
  live: Live,
): (updated: Message | null) => Touch[] {
  const shownIn = live.ownerOf('Message', id);
  return (updated) => changed(id, updated?.conversationId ?? shownIn);
}

/**
 * What a deletion will touch. The answer to it does not say the conversation of the message, for those who watch conversations. So if no
 * window shows the message, it is read first, unless nobody may watch them or no call is left.
 */
export async function touchesOfDeletion(
  id: string,
  { loaders, live, budget }: GatewayContext,
): Promise<Touch[]> {
  const shownIn = live.ownerOf('Message', id);
  if (shownIn !== null || !live.mayBeWatched(allConversations) || !budget.takeSlack())
    return changed(id, shownIn);
  const message = await loaders
    .of(messages)
    .load(id)
    .catch(() => null);
  return changed(id, message?.conversationId ?? null);
}
