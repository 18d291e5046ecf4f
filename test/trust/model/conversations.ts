import { BAD_INPUT } from '../oracle/values.ts';
import {
  CONFLICT,
  changed,
  find,
  isFrozen,
  unknown,
  type Write,
  without,
} from './service.ts';

/** What the service makes of the writes to conversations. Source: Endpoints, "Conversations". */
export const CONVERSATION_WRITES: Readonly<Record<string, Write>> = {
  createConversation(service, { contactId, groupId }) {
    const { world, answers, now } = service;
    // Open point: both ids.
    const areBoth = contactId != null && groupId != null;
    if (areBoth && answers.bothIds === 'refuse') return BAD_INPUT;
    const answer = {
      id: service.newId('conv'),
      contact_id: areBoth && answers.bothIds === 'group' ? null : (contactId ?? null),
      group_id: groupId ?? null,
      pinned_message_id: null,
      is_pinned: false,
      is_muted: false,
      last_active_at: null,
      last_opened_at: null,
      created_at: now,
      archived_at: null,
    };
    return { conversations: [...world.conversations, answer], answer };
  },

  updateConversation(service, { id, pinnedMessageId, isPinned, isMuted, archivedAt }) {
    const { messages, conversations } = service.world;
    const current = find(conversations, id);
    if (current === undefined) return unknown(service);
    if (typeof archivedAt === 'number' && archivedAt < 0) return BAD_INPUT;
    // To bring it back is the one change of an archived conversation.
    if (archivedAt !== null && isFrozen(service, current)) return CONFLICT;
    const pinned = find(messages, pinnedMessageId);
    if (pinnedMessageId != null && pinned?.conversation_id !== id) return BAD_INPUT;
    const answer = {
      ...current,
      pinned_message_id: orElse(pinnedMessageId, current.pinned_message_id),
      is_pinned: orElse(isPinned, current.is_pinned),
      is_muted: orElse(isMuted, current.is_muted),
      archived_at: orElse(archivedAt, current.archived_at),
    };
    return { conversations: changed(conversations, answer), answer };
  },

  deleteConversation(service, { id }) {
    const { messages, conversations } = service.world;
    if (find(conversations, id) === undefined) return unknown(service);
    return {
      messages: messages.filter(({ conversation_id }) => conversation_id !== id),
      conversations: without(conversations, id),
      answer: null,
    };
  },
};

/** What was left out stays; null clears. */
const orElse = (given: unknown, current: unknown): unknown =>
  given === undefined ? current : given;
