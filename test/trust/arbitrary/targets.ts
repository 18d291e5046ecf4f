import type { Item, World } from '../oracle/world.ts';

/** The few objects that random mutations use, so that one mutation changes or deletes what another has changed. */
export interface Targets {
  readonly conversations: readonly string[];
  /** The conversation that most mutations use. */
  readonly busiest: string;
  /** One that is archived: a service may refuse its updates. */
  readonly archived: string;
  /** Some messages of these conversations. */
  readonly messages: readonly { readonly id: string; readonly conversationId: string }[];
}

/** Chooses a conversation of every kind, and from each the messages at its ends and a few special ones. */
export function chooseTargets({ messages, conversations }: World): Targets {
  const messagesIn = (conversation: Item): Item[] =>
    messages.filter(({ conversation_id }) => conversation_id === conversation.id);
  const isArchived = ({ archived_at }: Item) => archived_at !== null;
  const kinds = [
    ({ pinned_message_id }: Item) => pinned_message_id !== null,
    isArchived,
    ({ is_muted }: Item) => is_muted === true,
    ({ is_pinned }: Item) => is_pinned === true,
    (each: Item) => messagesIn(each).length === 0,
  ];
  const chosen = new Set(kinds.flatMap((kind) => conversations.find(kind) ?? []));
  // One conversation can be of all kinds but the last.
  const hasMessages = (each: Item) => messagesIn(each).length > 0;
  if ([...chosen].filter(hasMessages).length === 1) {
    const another = conversations.find((each) => !chosen.has(each) && hasMessages(each));
    if (another !== undefined) chosen.add(another);
  }
  const few = [...chosen].flatMap((conversation) => {
    const all = messagesIn(conversation);
    const pinned = all.filter(({ id }) => id === conversation.pinned_message_id);
    const special = all.filter(isSpecial).slice(0, 3);
    return [...all.slice(0, 2), ...all.slice(-1), ...pinned, ...special];
  });
  const ids = [...chosen].map(({ id }) => id);
  return {
    conversations: ids,
    busiest: ids[0] ?? '',
    archived: conversations.find(isArchived)?.id ?? '',
    messages: [...new Set(few)].map(({ id, conversation_id }) => ({
      id,
      conversationId: String(conversation_id),
    })),
  };
}

const isSpecial = ({ reactions, attachments }: Item): boolean =>
  !isEmpty(reactions) || !isEmpty(attachments);

const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0;

/** The id of the n-th object that an embedded service creates, counted over both kinds. */
export const newId = (kind: 'msg' | 'conv', count: number): string =>
  `${kind}_1${count.toString(16).padStart(9, '0')}`;
