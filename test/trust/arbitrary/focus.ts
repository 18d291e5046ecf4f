import type { Wire, World } from '../oracle/world.ts';

/** Few things of a world, so that random writes meet: what one has changed, another changes or deletes. */
export interface Focus {
  readonly conversations: readonly string[];
  /** The one of them where most happens. */
  readonly busiest: string;
  /** Some messages of these conversations. */
  readonly messages: readonly FocusMessage[];
}

interface FocusMessage {
  readonly id: string;
  readonly conversationId: string;
}

/** A conversation of every kind, and of each the messages at its ends and those that have something special. */
export function toFocus({ messages, conversations }: World): Focus {
  const messagesIn = (conversation: Wire): Wire[] =>
    messages.filter(({ conversation_id }) => conversation_id === conversation.id);
  const kinds = [
    ({ pinned_message_id }: Wire) => pinned_message_id !== null,
    ({ archived_at }: Wire) => archived_at !== null,
    ({ is_muted }: Wire) => is_muted === true,
    ({ is_pinned }: Wire) => is_pinned === true,
    (each: Wire) => messagesIn(each).length === 0,
  ];
  const chosen = new Set(kinds.flatMap((kind) => conversations.find(kind) ?? []));
  const few = [...chosen].flatMap((conversation) => {
    const all = messagesIn(conversation);
    const special = all.filter(isSpecial(conversation)).slice(0, 3);
    return [...all.slice(0, 2), ...all.slice(-1), ...special];
  });
  const ids = [...chosen].map(({ id }) => id);
  return {
    conversations: ids,
    busiest: ids[0] ?? '',
    messages: [...new Set(few)].map(({ id, conversation_id }) => ({
      id,
      conversationId: String(conversation_id),
    })),
  };
}

const isSpecial =
  ({ pinned_message_id }: Wire) =>
  ({ id, reactions, attachments }: Wire): boolean =>
    id === pinned_message_id || !isEmpty(reactions) || !isEmpty(attachments);

const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0;

/** The id of the n-th object that the embedded service is asked to make after its start, whatever its kind. */
export const newId = (kind: 'msg' | 'conv', count: number): string =>
  `${kind}_1${count.toString(16).padStart(9, '0')}`;
