import type { Answers } from './answers.ts';
import type { Fields } from './form.ts';
import { Refusal, unknownId } from './refusal.ts';
import type { Contact, Conversation, Message } from './resources.ts';

/** What one user sees and changes; nothing in it is shared with another user. */
export interface Mailbox {
  owner: Contact;
  conversations: Map<string, Conversation>;
  messages: Map<string, Message>;
}

/**
 * One request of one user. `id`: the one in the path, empty where there is none. `fields`: the query
 * of a GET, the body of the rest.
 */
interface Ask {
  mailbox: Mailbox;
  id: string;
  fields: Fields;
}

/** One endpoint under `/v1`; what it returns is the JSON of the answer. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  answer(ask: Ask): object;
}

/** What the endpoints share: how gaps are filled, the clock (in `timestampUnit`), fresh ids. */
export interface Surroundings {
  answers: Answers;
  now(): number;
  newId(kind: 'msg' | 'conv'): string;
}

export function findMessage(
  { messages }: Mailbox,
  id: string,
  answers: Answers,
): Message {
  const message = messages.get(id);
  if (message === undefined) throw unknownId('message', id, answers);
  return message;
}

export function findConversation(
  { conversations }: Mailbox,
  id: string,
  answers: Answers,
): Conversation {
  const conversation = conversations.get(id);
  if (conversation === undefined) throw unknownId('conversation', id, answers);
  return conversation;
}

/** Open point: transitions. An archived conversation may be closed to changes. */
export function refuseIfFrozen(
  { id, archived_at }: Conversation,
  { archived }: Answers,
): void {
  if (archived === 'frozen' && archived_at !== null) {
    throw new Refusal(409, 'conversation_archived', `the conversation ${id} is archived`);
  }
}
