import { clearable, flag, integer, optional, readFields, text } from './fields.ts';
import { cut, inOrder, type Page, takeWindow } from './listing.ts';
import { invalid } from './refusal.ts';
import type { Conversation } from './resources.ts';
import {
  findConversation,
  type Route,
  refuseIfFrozen,
  type Surroundings,
} from './store.ts';

/** The conversation endpoints. Source: Endpoints, "Conversations". */
export const conversationRoutes = ({ answers, now, newId }: Surroundings): Route[] => [
  {
    method: 'GET',
    path: '/conversations',
    answer({ mailbox, fields }): Page<Conversation> {
      const { window, filters } = takeWindow(fields, answers);
      const { muted, archived, pinned, group_id } = readFields(filters, {
        muted: optional(flag),
        archived: optional(flag),
        pinned: optional(flag),
        group_id: optional(text),
      });

      // `false` asks for no filter: the interface only says what `true` does.
      const found = [...mailbox.conversations.values()].filter(
        (conversation) =>
          (!muted || conversation.is_muted) &&
          (!archived || conversation.archived_at !== null) &&
          (!pinned || conversation.is_pinned) &&
          (group_id === undefined || conversation.group_id === group_id),
      );
      // The time that counts is the last activity; one without any stands where it was created.
      const at = ({ last_active_at, created_at }: Conversation) =>
        last_active_at ?? created_at;
      return cut(inOrder(found, at, answers), window, answers);
    },
  },
  {
    method: 'POST',
    path: '/conversations',
    answer({ mailbox, fields }): Conversation {
      const sent = readFields(fields, {
        contact_id: optional(text),
        group_id: optional(text),
      });
      const { contact_id = null, group_id = null } = sent;
      if (contact_id === null && group_id === null) {
        throw invalid('contact_id', 'or group_id is required');
      }
      const both = contact_id !== null && group_id !== null;
      if (both && answers.bothIds === 'refuse') {
        throw invalid('contact_id', 'does not go with group_id');
      }

      const conversation: Conversation = {
        id: newId('conv'),
        contact_id: both && answers.bothIds === 'group' ? null : contact_id,
        group_id,
        pinned_message_id: null,
        is_pinned: false,
        is_muted: false,
        last_active_at: null,
        last_opened_at: null,
        created_at: now(),
        archived_at: null,
      };
      mailbox.conversations.set(conversation.id, conversation);
      return conversation;
    },
  },
  {
    method: 'GET',
    path: '/conversations/:id',
    answer({ mailbox, id, fields }): Conversation {
      readFields(fields, {});
      return findConversation(mailbox, id, answers);
    },
  },
  {
    method: 'PUT',
    path: '/conversations/:id',
    answer({ mailbox, id, fields }): Conversation {
      const current = findConversation(mailbox, id, answers);
      const change = readFields(fields, {
        pinned_message_id: optional(clearable(text)),
        is_pinned: optional(flag),
        is_muted: optional(flag),
        archived_at: optional(clearable(integer(0))),
      });
      if (change.archived_at !== null) refuseIfFrozen(current, answers);
      const pinned = change.pinned_message_id;
      if (
        typeof pinned === 'string' &&
        mailbox.messages.get(pinned)?.conversation_id !== id
      ) {
        throw invalid('pinned_message_id', 'is no message of this conversation');
      }

      const sent = Object.entries(change).filter(([, value]) => value !== undefined);
      const updated: Conversation = { ...current, ...Object.fromEntries(sent) };
      mailbox.conversations.set(id, updated);
      return updated;
    },
  },
  {
    method: 'DELETE',
    path: '/conversations/:id',
    answer({ mailbox, id, fields }): Conversation {
      readFields(fields, {});
      const conversation = findConversation(mailbox, id, answers);
      mailbox.conversations.delete(id);
      for (const message of mailbox.messages.values()) {
        if (message.conversation_id === id) mailbox.messages.delete(message.id);
      }
      return conversation;
    },
  },
];
