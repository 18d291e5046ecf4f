import type { Answers } from './answers.ts';
import { HttpError } from './errors.ts';
import type { Contact, Conversation, Message } from './resources.ts';

/** The data of one user. Users share no objects. */
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
