import { changeReactions, checkLength, toAttachments } from './content.ts';
import { optional, readFields, structure, text } from './fields.ts';
import { readPageQuery, slicePage, sortItems } from './paging.ts';
import type { Message } from './resources.ts';
import type { Route, RouteRequest } from './route.ts';
import {
  changeForAll,
  checkNotFrozen,
  findConversation,
  findMessage,
  putMessage,
  removeMessage,
} from './store.ts';

/** The message endpoints. Source: Endpoints, "Messages". */
export const messageRoutes: readonly Route[] = [
  { method: 'GET', path: '/messages', handle: listMessages },
  { method: 'POST', path: '/messages', handle: sendMessage },
  { method: 'GET', path: '/messages/:id', handle: getMessage },
  { method: 'PUT', path: '/messages/:id', handle: updateMessage },
  { method: 'DELETE', path: '/messages/:id', handle: deleteMessage },
];

function listMessages({ mailbox, fields, answers }: RouteRequest) {
  const { page, filters } = readPageQuery(fields, answers);
  const { conversation_id } = readFields(filters, { conversation_id: optional(text) });
  if (conversation_id !== undefined) findConversation(mailbox, conversation_id, answers);

  const found = [...mailbox.messages.values()].filter(
    (message) =>
      conversation_id === undefined || message.conversation_id === conversation_id,
  );
  const sorted = sortItems(found, ({ created_at }) => created_at, answers);
  return slicePage(sorted, page, answers);
}

function sendMessage({ mailbox, mailboxes, fields, answers, now, newId }: RouteRequest) {
  const sent = readFields(fields, {
    conversation_id: text,
    message: text,
    attachments: optional(structure),
  });
  checkLength(sent.message, answers);
  const attachments = toAttachments(sent.attachments ?? '', answers);
  const conversation = findConversation(mailbox, sent.conversation_id, answers);
  checkNotFrozen(conversation, answers);

  const message: Message = {
    id: newId('msg'),
    conversation_id: conversation.id,
    contact: mailbox.owner,
    message: sent.message,
    reactions: [],
    attachments,
    read_at: null,
    created_at: now(),
    updated_at: null,
  };
  putMessage(mailboxes, message);
  changeForAll(mailboxes, conversation.id, { last_active_at: message.created_at });
  return message;
}

function getMessage({ mailbox, id, fields, answers }: RouteRequest) {
  readFields(fields, {});
  return findMessage(mailbox, id, answers);
}

function updateMessage({ mailbox, mailboxes, id, fields, answers, now }: RouteRequest) {
  const current = findMessage(mailbox, id, answers);
  const { message, reactions, attachments } = readFields(fields, {
    message: optional(text),
    reactions: optional(structure),
    attachments: optional(structure),
  });
  if (message !== undefined) checkLength(message, answers);

  const updated: Message = {
    ...current,
    message: message ?? current.message,
    reactions:
      reactions === undefined
        ? current.reactions
        : changeReactions(current.reactions, reactions, answers),
    attachments:
      attachments === undefined
        ? current.attachments
        : toAttachments(attachments, answers),
    updated_at: now(),
  };
  putMessage(mailboxes, updated);
  return updated;
}

function deleteMessage({ mailbox, mailboxes, id, fields, answers }: RouteRequest) {
  readFields(fields, {});
  const message = findMessage(mailbox, id, answers);
  removeMessage(mailboxes, message);
  return message;
}
