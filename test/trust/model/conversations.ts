import { type Arguments, BAD_INPUT } from '../oracle/values.ts';
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

/** The effects of the writes to conversations. Source: Endpoints, "Conversations". */
export const CONVERSATION_WRITES: Readonly<Record<string, Write>> = {
  createConversation(state, { contactId, groupId }) {
    const { world, answers, now } = state;
    // Open point: both ids.
    const hasBoth = contactId != null && groupId != null;
    if (hasBoth && answers.bothIds === 'refuse') return BAD_INPUT;
    const answer = {
      id: state.newId('conv'),
      contact_id: hasBoth && answers.bothIds === 'group' ? null : (contactId ?? null),
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

  updateConversation(state, input) {
    const { id, pinnedMessageId, isPinned, isMuted } = input;
    const archivedAt = archivedAtOf(state, input);
    const { messages, conversations } = state.world;
    const current = find(conversations, id);
    if (current === undefined) return unknown(state);
    if (typeof archivedAt === 'number' && archivedAt < 0) return BAD_INPUT;
    // An archived conversation can only be restored.
    if (archivedAt !== null && isFrozen(state, current)) return CONFLICT;
    const pinned = find(messages, pinnedMessageId);
    if (pinnedMessageId != null && pinned?.conversation_id !== id) return BAD_INPUT;
    const answer = {
      ...current,
      pinned_message_id: orElse(pinnedMessageId, current.pinned_message_id),
      is_pinned: orElse(isPinned, current.is_pinned),
      is_muted: orElse(isMuted, current.is_muted),
      archived_at: orElse(archivedAt, current.archived_at),
    };
    return { conversations: replaced(conversations, answer), answer };
  },

  deleteConversation(state, { id }) {
    const { messages, conversations } = state.world;
    if (find(conversations, id) === undefined) return unknown(state);
    return {
      messages: messages.filter(({ conversation_id }) => conversation_id !== id),
      conversations: without(conversations, id),
      answer: null,
    };
  },
};

/** The timestamp that one of the two fields gives. */
const archivedAtOf = (
  { toTimestamp }: State,
  { archivedAt, archivedAtIso }: Arguments,
): unknown => {
  if (typeof archivedAtIso === 'string') return toTimestamp(Date.parse(archivedAtIso));
  return archivedAt === undefined ? archivedAtIso : archivedAt;
};

/** A field that is left out keeps its value; null clears it. */
const orElse = (given: unknown, current: unknown): unknown =>
  given === undefined ? current : given;
