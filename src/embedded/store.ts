import type { Answers } from './answers.ts';
import { HttpError } from './errors.ts';
import type { Contact, Conversation, Message } from './resources.ts';

/** The data of one user. A conversation, and its messages, may be in the mailboxes of several. */
export interface Mailbox {
  owner: Contact;
  conversations: Map<string, Conversation>;
  messages: Map<string, Message>;
}

export const findMessage = (
  { messages }: Mailbox,
  id: string,
  answers: Answers,
): Message => messages.get(id) ?? throwUnknownId('message', id, answers);

export const findConversation = (
  { conversations }: Mailbox,
  id: string,
  answers: Answers,
): Conversation => conversations.get(id) ?? throwUnknownId('conversation', id, answers);

/** The error for an unknown id; an id of another user is unknown too. Open point: error format. */
function throwUnknownId(kind: string, id: string, { unknownId }: Answers): never {
  const message = `no ${kind} has the id ${JSON.stringify(id)}`;
  throw new HttpError(unknownId, 'not_found', message);
}

/** Open point: transitions. An archived conversation may be closed to changes. */
export function checkNotFrozen(
  { id, archived_at }: Conversation,
  { archived }: Answers,
): void {
  if (archived === 'frozen' && archived_at !== null) {
    const message = `the conversation ${id} is archived`;
    throw new HttpError(409, 'conversation_archived', message);
  }
}

/** The mailboxes that have a conversation. */
const sharing = (mailboxes: Iterable<Mailbox>, conversationId: string): Mailbox[] =>
  [...mailboxes].filter(({ conversations }) => conversations.has(conversationId));

/** Adds a message, or replaces it, for everybody who shares its conversation. */
export function putMessage(mailboxes: Iterable<Mailbox>, message: Message): void {
  for (const { messages } of sharing(mailboxes, message.conversation_id)) {
    messages.set(message.id, message);
  }
}

/** Deletes a message for everybody who shares its conversation, and unpins it. */
export function removeMessage(mailboxes: Iterable<Mailbox>, message: Message): void {
  for (const { conversations, messages } of sharing(mailboxes, message.conversation_id)) {
    messages.delete(message.id);
    const conversation = conversations.get(message.conversation_id);
    if (conversation?.pinned_message_id !== message.id) continue;
    conversations.set(conversation.id, { ...conversation, pinned_message_id: null });
  }
}

/** Changes fields of a conversation that are the same for everybody who shares it. */
export function changeForAll(
  mailboxes: Iterable<Mailbox>,
  id: string,
  change: Partial<Pick<Conversation, 'last_active_at' | 'pinned_message_id'>>,
): void {
  for (const { conversations } of sharing(mailboxes, id)) {
    const conversation = conversations.get(id);
    if (conversation !== undefined) conversations.set(id, { ...conversation, ...change });
  }
}

/** Adds a new conversation of `owner`, also for the other users that it is with. Only groups have more than two people. */
export function addConversation(
  mailboxes: Iterable<Mailbox>,
  { owner }: Mailbox,
  conversation: Conversation,
): void {
  const { id, contact_id, group_id } = conversation;
  for (const mailbox of mailboxes) {
    const isContact = mailbox.owner.id === contact_id;
    if (mailbox.owner.id === owner.id) mailbox.conversations.set(id, conversation);
    else if (isContact || isInGroup(mailbox, group_id)) {
      mailbox.conversations.set(id, {
        ...conversation,
        contact_id: isContact ? owner.id : contact_id,
      });
    }
  }
}

/** A group is known only by its conversations: who has one of them is in the group. */
const isInGroup = ({ conversations }: Mailbox, groupId: string | null): boolean =>
  groupId !== null &&
  [...conversations.values()].some(({ group_id }) => group_id === groupId);

/** Deletes a conversation and its messages for everybody who shares it. */
export function removeConversation(mailboxes: Iterable<Mailbox>, id: string): void {
  for (const { conversations, messages } of sharing(mailboxes, id)) {
    conversations.delete(id);
    for (const message of messages.values()) {
      if (message.conversation_id === id) messages.delete(message.id);
    }
  }
}
