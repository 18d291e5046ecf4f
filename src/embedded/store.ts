import type { Answers } from './answers.ts';
import { HttpError } from './errors.ts';
import {
  type Contact,
  type Conversation,
  type Message,
  SAMPLE_TIME,
  UNITS_PER_SECOND,
} from './resources.ts';

/** The conversations of one user, as that user sees them. Several users may have one conversation. */
export interface Mailbox {
  readonly owner: Contact;
  readonly conversations: Map<string, Conversation>;
}

/** All that the service keeps. */
export class Store {
  /** By access token. */
  readonly mailboxes = new Map<string, Mailbox>();
  /** Whoever has the conversation of a message has the message. */
  readonly messages = new Map<string, Message>();
  readonly #answers: Answers;
  #created = 0;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** The current timestamp. If the machine's clock is wrong, new objects still come after the sample data. */
  now(): number {
    const ms = Math.max(Date.now(), SAMPLE_TIME * 1000);
    return Math.floor((ms * UNITS_PER_SECOND[this.#answers.timestampUnit]) / 1000);
  }

  /** Sample ids begin with 0, new ones with 1 and a count: they never collide, and sort by age. */
  newId(kind: 'msg' | 'conv'): string {
    this.#created += 1;
    return `${kind}_1${this.#created.toString(16).padStart(9, '0')}`;
  }

  findConversation({ conversations }: Mailbox, id: string): Conversation {
    return conversations.get(id) ?? this.throwUnknownId('conversation', id);
  }

  findMessage({ conversations }: Mailbox, id: string): Message {
    const message = this.messages.get(id);
    const isTheirs = message && conversations.has(message.conversation_id);
    return isTheirs ? message : this.throwUnknownId('message', id);
  }

  /** The error for an unknown id; an id of another user is unknown too. Open point: error format. */
  throwUnknownId(kind: string, id: string): never {
    const message = `no ${kind} has the id ${JSON.stringify(id)}`;
    throw new HttpError(this.#answers.unknownId, 'not_found', message);
  }

  /** Deletes a message, and unpins it for everybody who shares its conversation. */
  removeMessage({ id, conversation_id }: Message): void {
    this.messages.delete(id);
    for (const { conversations } of this.mailboxes.values()) {
      if (conversations.get(conversation_id)?.pinned_message_id === id)
        change(conversations, conversation_id, { pinned_message_id: null });
    }
  }

  /** Changes fields of a conversation that are the same for everybody who shares it. */
  changeForAll(
    id: string,
    fields: Partial<Pick<Conversation, 'last_active_at' | 'pinned_message_id'>>,
  ): void {
    for (const { conversations } of this.mailboxes.values())
      change(conversations, id, fields);
  }

  /** Adds a new conversation of `owner`, also for the other users that it is with. Only groups have more than two people. */
  addConversation({ owner }: Mailbox, conversation: Conversation): void {
    const { id, contact_id, group_id } = conversation;
    for (const mailbox of this.mailboxes.values()) {
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

  /** Deletes a conversation and its messages for everybody who shares it. */
  removeConversation(id: string): void {
    for (const { conversations } of this.mailboxes.values()) conversations.delete(id);
    for (const message of this.messages.values())
      if (message.conversation_id === id) this.messages.delete(message.id);
  }
}

function change(
  conversations: Mailbox['conversations'],
  id: string,
  fields: Partial<Conversation>,
): void {
  const conversation = conversations.get(id);
  if (conversation !== undefined) conversations.set(id, { ...conversation, ...fields });
}

/** A group is known only by its conversations: who has one of them is in the group. */
const isInGroup = ({ conversations }: Mailbox, groupId: string | null): boolean =>
  groupId !== null &&
  [...conversations.values()].some(({ group_id }) => group_id === groupId);

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
