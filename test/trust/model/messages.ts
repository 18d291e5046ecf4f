import { BAD_INPUT } from '../oracle/values.ts';
import type { Wire } from '../oracle/world.ts';
import { byName, type ReactionInput, throughForm } from './form.ts';
import {
  CONFLICT,
  changed,
  find,
  isFrozen,
  unknown,
  type Write,
  without,
} from './service.ts';

/** What the service makes of the writes to messages. Source: Endpoints, "Messages". */
export const MESSAGE_WRITES: Readonly<Record<string, Write>> = {
  sendMessage(service, { conversationId, message, attachments }) {
    const { messages, conversations } = service.world;
    if (message === '') return BAD_INPUT;
    const conversation = find(conversations, conversationId);
    if (conversation === undefined) return unknown(service);
    if (isFrozen(service, conversation)) return CONFLICT;
    const answer = {
      id: service.newId('msg'),
      conversation_id: conversation.id,
      contact: service.owner,
      message,
      reactions: [],
      attachments: toAttachments(attachments),
      read_at: null,
      created_at: service.now,
      updated_at: null,
    };
    const active = { ...conversation, last_active_at: service.now };
    return {
      messages: [...messages, answer],
      conversations: changed(conversations, active),
      answer,
    };
  },

  updateMessage(service, { id, message, reactions, attachments }) {
    const { messages } = service.world;
    const current = find(messages, id);
    if (current === undefined) return unknown(service);
    const sent = reactions as readonly ReactionInput[] | null | undefined;
    if (message === '' || sent?.some(({ usernames }) => usernames.includes(''))) {
      return BAD_INPUT;
    }
    const answer = {
      ...current,
      message: message ?? current.message,
      reactions: sent === undefined ? current.reactions : react(current, sent, service),
      attachments:
        attachments === undefined ? current.attachments : toAttachments(attachments),
      updated_at: service.now,
    };
    return { messages: changed(messages, answer), answer };
  },

  deleteMessage(service, { id }) {
    const { messages, conversations } = service.world;
    if (find(messages, id) === undefined) return unknown(service);
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

/** Nothing clears all, a name without usernames that name. Open point: reactions in an update. */
function react(
  current: Wire,
  sent: readonly ReactionInput[] | null,
  { answers }: Parameters<Write>[0],
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
