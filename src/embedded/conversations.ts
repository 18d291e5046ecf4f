import { invalidField } from './errors.ts';
import { clearable, flag, integer, optional, readFields, text } from './fields.ts';
import { readPageQuery, slicePage, sortItems } from './paging.ts';
import type { Conversation } from './resources.ts';
import type { Route, RouteRequest } from './route.ts';
import { checkNotFrozen } from './store.ts';

/** The conversation endpoints. Source: Endpoints, "Conversations". */
export const conversationRoutes: readonly Route[] = [
  { method: 'GET', path: '/conversations', handle: listConversations },
  { method: 'POST', path: '/conversations', handle: createConversation },
  { method: 'GET', path: '/conversations/:id', handle: getConversation },
  { method: 'PUT', path: '/conversations/:id', handle: updateConversation },
  { method: 'DELETE', path: '/conversations/:id', handle: deleteConversation },
];

function listConversations({ mailbox, fields, answers }: RouteRequest) {
  const { page, filters } = readPageQuery(fields, answers);
  const { muted, archived, pinned, group_id } = readFields(filters, {
    muted: optional(flag),
    archived: optional(flag),
    pinned: optional(flag),
    group_id: optional(text),
  });

  // `false` does not filter, because the interface defines only what `true` does.
  const found = [...mailbox.conversations.values()].filter(
    (conversation) =>
      (!muted || conversation.is_muted) &&
      (!archived || conversation.archived_at !== null) &&
      (!pinned || conversation.is_pinned) &&
      (group_id === undefined || conversation.group_id === group_id),
  );
  const timeOf = ({ last_active_at, created_at }: Conversation) =>
    last_active_at ?? created_at;
  return slicePage(sortItems(found, timeOf, answers), page, answers);
}

/** Open point: both contact_id and group_id. */
function createConversation({ store, mailbox, fields, answers }: RouteRequest) {
  const { contact_id = null, group_id = null } = readFields(fields, {
    contact_id: optional(text),
    group_id: optional(text),
  });
  if (contact_id === null && group_id === null) {
    throw invalidField('contact_id', 'or group_id is required');
  }
  const both = contact_id !== null && group_id !== null;
  if (both && answers.bothIds === 'refuse') {
    throw invalidField('contact_id', 'cannot be combined with group_id');
  }

  const conversation: Conversation = {
    id: store.newId('conv'),
    contact_id: both && answers.bothIds === 'group' ? null : contact_id,
    group_id,
    pinned_message_id: null,
    is_pinned: false,
    is_muted: false,
    last_active_at: null,
    last_opened_at: null,
    created_at: store.now(),
    archived_at: null,
  };
  store.addConversation(mailbox, conversation);
  return conversation;
}

function getConversation({ store, mailbox, id, fields }: RouteRequest) {
  readFields(fields, {});
  return store.findConversation(mailbox, id);
}

function updateConversation({ store, mailbox, id, fields, answers }: RouteRequest) {
  const current = store.findConversation(mailbox, id);
  const change = readFields(fields, {
    pinned_message_id: optional(clearable(text)),
    is_pinned: optional(flag),
    is_muted: optional(flag),
    archived_at: optional(clearable(integer(0))),
  });
  if (change.archived_at !== null) checkNotFrozen(current, answers);
  const pinned = change.pinned_message_id;
  if (typeof pinned === 'string' && store.messages.get(pinned)?.conversation_id !== id) {
    throw invalidField('pinned_message_id', 'is not a message of this conversation');
  }

  const sent = Object.entries(change).filter(([, value]) => value !== undefined);
  const updated: Conversation = { ...current, ...Object.fromEntries(sent) };
  mailbox.conversations.set(id, updated);
  const { pinned_message_id } = updated;
  store.changeForAll(id, { pinned_message_id });
  return updated;
}

function deleteConversation({ store, mailbox, id, fields }: RouteRequest) {
  readFields(fields, {});
  const conversation = store.findConversation(mailbox, id);
  store.removeConversation(id);
  return conversation;
}
