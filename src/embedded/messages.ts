import type { Answers } from './answers.ts';
import { invalidField } from './errors.ts';
import { optional, readFields, structure, text } from './fields.ts';
import { type FormValue, toJson, toList } from './form.ts';
import { readPageQuery, slicePage, sortItems } from './paging.ts';
import type { Message, Reaction } from './resources.ts';
import type { Route, RouteRequest } from './route.ts';
import { checkNotFrozen } from './store.ts';

/** The message endpoints. Source: Endpoints, "Messages". */
export const messageRoutes: readonly Route[] = [
  { method: 'GET', path: '/messages', handle: listMessages },
  { method: 'POST', path: '/messages', handle: sendMessage },
  { method: 'GET', path: '/messages/:id', handle: getMessage },
  { method: 'PUT', path: '/messages/:id', handle: updateMessage },
  { method: 'DELETE', path: '/messages/:id', handle: deleteMessage },
];

function listMessages({ store, mailbox, fields, answers }: RouteRequest) {
  const { page, filters } = readPageQuery(fields, answers);
  const { conversation_id } = readFields(filters, { conversation_id: optional(text) });
  if (conversation_id !== undefined) store.findConversation(mailbox, conversation_id);

  const found = [...store.messages.values()].filter((message) =>
    conversation_id === undefined
      ? mailbox.conversations.has(message.conversation_id)
      : message.conversation_id === conversation_id,
  );
  const sorted = sortItems(found, ({ created_at }) => created_at, answers);
  return slicePage(sorted, page, answers);
}

function sendMessage({ store, mailbox, fields, answers }: RouteRequest) {
  const sent = readFields(fields, {
    conversation_id: text,
    message: text,
    attachments: optional(structure),
  });
  checkLength(sent.message, answers);
  const attachments = toAttachments(sent.attachments ?? '', answers);
  const conversation = store.findConversation(mailbox, sent.conversation_id);
  checkNotFrozen(conversation, answers);

  const message: Message = {
    id: store.newId('msg'),
    conversation_id: conversation.id,
    contact: mailbox.owner,
    message: sent.message,
    reactions: [],
    attachments,
    read_at: null,
    created_at: store.now(),
    updated_at: null,
  };
  store.messages.set(message.id, message);
  store.changeForAll(conversation.id, { last_active_at: message.created_at });
  return message;
}

function getMessage({ store, mailbox, id, fields }: RouteRequest) {
  readFields(fields, {});
  return store.findMessage(mailbox, id);
}

function updateMessage({ store, mailbox, id, fields, answers }: RouteRequest) {
  const current = store.findMessage(mailbox, id);
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
    updated_at: store.now(),
  };
  store.messages.set(id, updated);
  return updated;
}

function deleteMessage({ store, mailbox, id, fields }: RouteRequest) {
  readFields(fields, {});
  const message = store.findMessage(mailbox, id);
  store.removeMessage(message);
  return message;
}

/** Refuses a text above the limit. Open point: message and attachment limits. */
function checkLength(
  message: string,
  { maxMessageLength, oversizeStatus }: Answers,
): void {
  // Spreading counts code points; `length` would count an emoji twice.
  if (maxMessageLength !== null && [...message].length > maxMessageLength) {
    const problem = `takes ${maxMessageLength} characters at most`;
    throw invalidField('message', problem, oversizeStatus);
  }
}

/** Reads `attachments[0][url]=…`; `attachments=` is empty. Scalars stay text: a form has no types. */
function toAttachments(
  sent: FormValue,
  { maxAttachments, oversizeStatus }: Answers,
): unknown[] {
  const list = sent === '' ? [] : toList(sent);
  if (list === null) throw invalidField('attachments', 'takes a list');
  if (maxAttachments !== null && list.length > maxAttachments) {
    throw invalidField('attachments', `takes ${maxAttachments} at most`, oversizeStatus);
  }
  return list.map(toJson);
}

/**
 * Applies an update to the reactions: `reactions[heart][]=ada` replaces the usernames of `heart` or
 * adds to them, `reactions[heart]=` removes `heart`, `reactions=` removes all.
 * Open point: reactions in an update. Open point: allowed reaction names.
 */
function changeReactions(
  current: Reaction[],
  sent: FormValue,
  answers: Answers,
): Reaction[] {
  if (sent === '') return [];
  if (!(sent instanceof Map)) {
    throw invalidField('reactions', 'takes reactions[name][]=username');
  }
  const byName = new Map(current.flatMap((reaction) => Object.entries(reaction)));
  for (const [name, value] of sent as ReadonlyMap<string, FormValue>) {
    const usernames = toUsernames(name, value, answers);
    const kept = answers.reactions === 'add' ? (byName.get(name) ?? []) : [];
    if (usernames.length === 0) byName.delete(name);
    else byName.set(name, [...new Set([...kept, ...usernames])]);
  }
  // An object literal would lose a reaction called `__proto__`.
  return Array.from(byName, (entry) => Object.fromEntries([entry]));
}

function toUsernames(
  name: string,
  value: FormValue,
  { reactionNames }: Answers,
): readonly string[] {
  const field = `reactions[${name}]`;
  if (reactionNames !== null && !reactionNames.includes(name)) {
    throw invalidField(field, `is not one of the reactions ${reactionNames.join(', ')}`);
  }
  const usernames = value === '' ? [] : toList(value);
  if (!usernames?.every((username) => typeof username === 'string' && username !== '')) {
    throw invalidField(field, 'takes a list of usernames');
  }
  return usernames as readonly string[];
}
