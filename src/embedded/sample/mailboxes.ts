import type { Answers } from '../answers.ts';
import { SAMPLE_TIME, UNITS_PER_SECOND } from '../context.ts';
import type { Contact, Conversation, Message } from '../resources.ts';
import type { Mailbox } from '../store.ts';
import { createContacts } from './contacts.ts';
import { createMessages } from './messages.ts';
import { type PlannedConversation, planConversations } from './plan.ts';
import { createRandom, type Random } from './random.ts';

export interface SampleUser {
  username: string;
  token: string;
}

export const SAMPLE_USERS: readonly SampleUser[] = [
  { username: 'ada', token: 'ada-sample-token' },
  { username: 'grace', token: 'grace-sample-token' },
];

/** Creates the mailbox of every sample user, by token; the content is the same at every start. */
export function createMailboxes(answers: Answers): ReadonlyMap<string, Mailbox> {
  const scale = UNITS_PER_SECOND[answers.timestampUnit];
  const contacts = createContacts(scale);
  const mailboxes = new Map<string, Mailbox>();
  for (const [index, { username, token }] of SAMPLE_USERS.entries()) {
    const random = createRandom(1906 + index);
    const others = [...mailboxes.values()];
    const materials = { random, contacts, scale, answers, others };
    mailboxes.set(token, createMailbox(username, materials));
  }
  return mailboxes;
}

interface Materials {
  random: Random;
  contacts: ReadonlyMap<string, Contact>;
  /** Timestamp units per second. */
  scale: number;
  answers: Answers;
  /** The mailboxes of the users before this one. */
  others: readonly Mailbox[];
}

function createMailbox(username: string, materials: Materials): Mailbox {
  const { contacts, others } = materials;
  const owner = findContact(contacts, username);
  const mailbox: Mailbox = { owner, conversations: new Map(), messages: new Map() };
  const plan = planConversations(materials.random, username, [...contacts.keys()]);
  for (const [index, planned] of plan.entries()) {
    const shared = findShared(others, planned, owner);
    const { id, messages } = shared ?? createContent(planned, owner, materials);
    for (const message of messages) mailbox.messages.set(message.id, message);
    const content = toConversation(planned, index, messages, materials);
    mailbox.conversations.set(id, { id, ...content, ...shared?.common });
  }
  return mailbox;
}

interface Content {
  id: string;
  messages: Message[];
}

function createContent(
  planned: PlannedConversation,
  owner: Contact,
  { random, contacts, scale, answers }: Materials,
): Content {
  const id = planned.id ?? `conv_0${random.hex(9)}`;
  const messages = createMessages({
    random,
    conversationId: id,
    owner,
    others: planned.others.map((name) => findContact(contacts, name)),
    count: planned.messages,
    lastAt: lastActiveAt(planned),
    scale,
    shape: answers.attachments,
  });
  return { id, messages };
}

/** The same conversation in the mailbox of another user, with the fields that are the same for both; null if there is none. */
function findShared(
  others: readonly Mailbox[],
  { contact, group }: PlannedConversation,
  owner: Contact,
) {
  for (const { owner: other, conversations, messages } of others) {
    const isShared = ({ contact_id, group_id }: Conversation) =>
      group === null
        ? contact === other.username && contact_id === owner.id
        : group === group_id;
    const found = [...conversations.values()].find(isShared);
    if (found === undefined) continue;
    const { id, pinned_message_id, last_active_at, created_at } = found;
    return {
      id,
      messages: [...messages.values()].filter((one) => one.conversation_id === id),
      common: { pinned_message_id, last_active_at, created_at },
    };
  }
  return null;
}

/** `index` decides which conversations are pinned, muted or archived. */
function toConversation(
  planned: PlannedConversation,
  index: number,
  messages: Message[],
  { random, contacts, scale }: Materials,
): Omit<Conversation, 'id'> {
  const lastActive = lastActiveAt(planned);
  const isNew = messages.length === 0;
  const middle = messages[Math.floor(messages.length / 2)];
  const hasPinnedMessage = planned.id !== null || index % 4 === 0;
  return {
    contact_id:
      planned.contact === null ? null : findContact(contacts, planned.contact).id,
    group_id: planned.group,
    pinned_message_id: hasPinnedMessage ? (middle?.id ?? null) : null,
    is_pinned: index % 11 === 4,
    is_muted: index % 7 === 3,
    last_active_at: isNew ? null : lastActive * scale,
    last_opened_at: isNew ? null : (lastActive - random.below(7200)) * scale,
    created_at: (messages[0]?.created_at ?? lastActive * scale) - 90 * scale,
    archived_at: index % 9 === 5 ? (lastActive + 600) * scale : null,
  };
}

/** Unit: seconds. */
const lastActiveAt = ({ lastActiveAge }: PlannedConversation): number =>
  SAMPLE_TIME - lastActiveAge * 60;

function findContact(contacts: Materials['contacts'], username: string): Contact {
  const contact = contacts.get(username);
  if (contact === undefined) throw new Error(`the sample data has no ${username}`);
  return contact;
}
