import { BAD_INPUT } from '../oracle/values.ts';
import type { Item } from '../oracle/world.ts';
import { byName, type ReactionInput, throughForm } from './form.ts';
import {
  CONFLICT,
  find,
  isFrozen,
  replaced,
  type State,
  unknown,
  type Write,
  without,
} from './state.ts';

/** The effects of the writes to messages. Source: Endpoints, "Messages". */
export const MESSAGE_WRITES: Readonly<Record<string, Write>> = {
  sendMessage(state, { conversationId, message, attachments }) {
    const { messages, conversations } = state.world;
    if (message === '') return BAD_INPUT;
    const conversation = find(conversations, conversationId);
    if (conversation === undefined) return unknown(state);
    if (isFrozen(state, conversation)) return CONFLICT;
    const answer = {
      id: state.newId('msg'),
      conversation_id: conversation.id,
      contact: state.owner,
      message,
      reactions: [],
      attachments: toAttachments(attachments),
      read_at: null,
      created_at: state.now,
      updated_at: null,
    };
    const active = { ...conversation, last_active_at: state.now };
    return {
      messages: [...messages, answer],
      conversations: replaced(conversations, active),
      answer,
    };
  },

  updateMessage(state, { id, message, reactions, attachments }) {
    const { messages } = state.world;
    const current = find(messages, id);
    if (current === undefined) return unknown(state);
    const sent = reactions as readonly ReactionInput[] | null | undefined;
    if (message === '' || sent?.some(({ usernames }) => usernames.includes(''))) {
      return BAD_INPUT;
    }
    const answer = {
      ...current,
      message: message ?? current.message,
      reactions: sent === undefined ? current.reactions : react(current, sent, state),
      attachments:
        attachments === undefined ? current.attachments : toAttachments(attachments),
      updated_at: state.now,
    };
    return { messages: replaced(messages, answer), answer };
  },

  deleteMessage(state, { id }) {
    const { messages, conversations } = state.world;
    if (find(messages, id) === undefined) return unknown(state);
    return {
      messages: without(messages, id),
      conversations: conversations.map((each) =>
        each.pinned_message_id === id ? { ...each, pinned_message_id: null } : each,
      ),
      answer: null,
    };
  },
};

const toAttachments = (attachments: unknown): unknown[] =>
  ((attachments as unknown[] | null | undefined) ?? []).map(throughForm);

/** An empty list clears all reactions; a name without usernames clears that name. Open point: reactions in an update. */
function react(
  current: Item,
  sent: readonly ReactionInput[] | null,
  { answers }: State,
): Record<string, string[]>[] {
  if (sent === null || sent.length === 0) return [];
  const reactions = new Map(
    (current.reactions as Record<string, string[]>[]).flatMap(Object.entries<string[]>),
  );
  for (const [name, usernames] of byName(sent)) {
    const kept = answers.reactions === 'add' ? (reactions.get(name) ?? []) : [];
    if (usernames.length === 0) reactions.delete(name);
    else reactions.set(name, [...new Set([...kept, ...usernames])]);
  }
  return Array.from(reactions, (entry) => Object.fromEntries([entry]));
}
