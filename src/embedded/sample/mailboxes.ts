import type { Answers } from '../answers.ts';
import {
  type Contact,
  type Conversation,
  type Message,
  UNITS_PER_SECOND,
} from '../resources.ts';
import type { Mailbox, Store } from '../store.ts';
import { createMessages } from './messages.ts';
import { createContacts, type PlannedConversation, planConversations } from './plan.ts';
import { createRandom, type Random } from './random.ts';

export interface SampleUser {
  username: string;
  token: string;
}

export const SAMPLE_USERS: readonly SampleUser[] = [
  { username: 'ada', token: 'ada-sample-token' },
  { username: 'grace', token: 'grace-sample-token' },
];

interface Materials {
  random: Random;
  contacts: ReadonlyMap<string, Contact>;
  /** Timestamp units per second. */
  scale: number;
  owner: Contact;
}

/** Adds the mailboxes of the sample users, and their messages; the content is the same at every start. */
export function addSampleData({ mailboxes, messages }: Store, answers: Answers): void {
  const scale = UNITS_PER_SECOND[answers.timestampUnit];
  const contacts = createContacts(scale);
  for (const [index, { username, token }] of SAMPLE_USERS.entries()) {
    const random = createRandom(1906 + index);
    const owner = findContact(contacts, username);
    const conversations = new Map<string, Conversation>();
    const plan = planConversations(random, username, [...contacts.keys()]);
    for (const [index, planned] of plan.entries()) {
      const shared = findShared([...mailboxes.values()], planned, owner);
      const id = shared?.id ?? planned.id ?? `conv_0${random.hex(9)}`;
      const own =
        shared === null
          ? createMessages({
              random,
              conversationId: id,
              owner,
              others: planned.others.map((name) => findContact(contacts, name)),
              planned,
              scale,
              shape: answers.attachments,
            })
          : [...messages.values()].filter((one) => one.conversation_id === id);
      for (const message of own) messages.set(message.id, message);
      const materials = { random, contacts, scale, owner };
      const fields = toConversation(planned, index, own, materials);
      conversations.set(id, { id, ...fields, ...shared });
    }
    mailboxes.set(token, { owner, conversations });
  }
}

/** The shared part of a conversation that another user already has; null: none has it. */
function findShared(
  mailboxes: readonly Mailbox[],
  { group, others: [contact] }: PlannedConversation,
  owner: Contact,
) {
  for (const { owner: other, conversations } of mailboxes) {
    const isShared = ({ contact_id, group_id }: Conversation) =>
      group === null
        ? contact === other.username && contact_id === owner.id
        : group === group_id;
    const found = [...conversations.values()].find(isShared);
    if (found === undefined) continue;
    const { id, pinned_message_id, last_active_at, created_at } = found;
    return { id, pinned_message_id, last_active_at, created_at };
  }
  return null;
}

/** `index` decides which conversations are pinned, muted or archived. */
function toConversation(
  planned: PlannedConversation,
  index: number,
  messages: Message[],
  { random, contacts, scale, owner }: Materials,
): Omit<Conversation, 'id'> {
  const [contact = ''] = planned.others;
  const { lastAt } = planned;
  const isNew = messages.length === 0;
  const middle = messages[Math.floor(messages.length / 2)];
  // The owner has read everything before a message that the owner wrote.
  const lastSeen = messages.findLast(
    ({ read_at, contact }) => read_at !== null || contact === owner,
  );
  const hasPinnedMessage = planned.id !== null || index % 4 === 0;
  return {
    contact_id: planned.group === null ? findContact(contacts, contact).id : null,
    group_id: planned.group,
    pinned_message_id: hasPinnedMessage ? (middle?.id ?? null) : null,
    is_pinned: index % 11 === 4,
    is_muted: index % 7 === 3,
    last_active_at: isNew ? null : lastAt * scale,
    last_opened_at: lastSeen ? lastSeen.created_at + (1 + random.below(5)) * scale : null,
    created_at: (messages[0]?.created_at ?? lastAt * scale) - 90 * scale,
    archived_at: index % 9 === 5 ? (lastAt + 600) * scale : null,
  };
}

function findContact(contacts: Materials['contacts'], username: string): Contact {
  const contact = contacts.get(username);
  if (contact === undefined) throw new Error(`the sample data has no ${username}`);
  return contact;
}
