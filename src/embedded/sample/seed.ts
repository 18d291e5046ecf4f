import type { Answers } from '../answers.ts';
import type { Contact } from '../resources.ts';
import type { Mailbox, Surroundings } from '../store.ts';
import { createContacts, SEED_NOW } from './contacts.ts';
import { createMessages } from './messages.ts';
import { type PlannedConversation, planConversations } from './plan.ts';
import { createRandom, type Random } from './random.ts';

/** Someone whose token the service knows. */
export interface SampleUser {
  username: string;
  token: string;
}

const SAMPLE_USERS: readonly SampleUser[] = [
  { username: 'ada', token: 'ada-sample-token' },
  { username: 'grace', token: 'grace-sample-token' },
];

/** Timestamps in a second. Open point: unit of the integer timestamps. */
const PER_SECOND = { seconds: 1, milliseconds: 1_000, microseconds: 1_000_000 };

/** The sample data, the same at every start, with the clock and the ids of what comes after it. */
export function createSample(answers: Answers): {
  users: readonly SampleUser[];
  mailboxes: ReadonlyMap<string, Mailbox>;
  surroundings: Surroundings;
} {
  const scale = PER_SECOND[answers.timestampUnit];
  const contacts = createContacts(scale);
  const mailboxes = SAMPLE_USERS.map(({ username, token }, index) => {
    const random = createRandom(1906 + index);
    return [
      token,
      createMailbox({ random, username, contacts, scale, answers }),
    ] as const;
  });

  let created = 0;
  const surroundings: Surroundings = {
    answers,
    // Never before the sample data, even on a machine whose clock is wrong.
    now: () => Math.floor((Math.max(Date.now(), SEED_NOW * 1000) * scale) / 1000),
    // Sample ids begin with 0, these with 1 and then a count: none collide, and they sort by age.
    newId: (kind) => {
      created += 1;
      return `${kind}_1${created.toString(16).padStart(9, '0')}`;
    },
  };
  return { users: SAMPLE_USERS, mailboxes: new Map(mailboxes), surroundings };
}

interface MailboxPlan {
  random: Random;
  username: string;
  contacts: ReadonlyMap<string, Contact>;
  scale: number;
  answers: Answers;
}

function createMailbox({
  random,
  username,
  contacts,
  scale,
  answers,
}: MailboxPlan): Mailbox {
  const contactOf = (name: string): Contact => {
    const contact = contacts.get(name);
    if (contact === undefined) throw new Error(`the sample data knows no ${name}`);
    return contact;
  };
  const mailbox: Mailbox = {
    owner: contactOf(username),
    conversations: new Map(),
    messages: new Map(),
  };
  const plan = planConversations(random, username, [...contacts.keys()]);
  for (const [index, planned] of plan.entries()) {
    addConversation(mailbox, planned, index);
  }
  return mailbox;

  function addConversation(
    { owner, conversations, messages }: Mailbox,
    planned: PlannedConversation,
    index: number,
  ): void {
    const id = planned.id ?? `conv_0${random.hex(9)}`;
    const lastActive = SEED_NOW - planned.lastActiveAge * 60;
    const chat = createMessages({
      random,
      conversationId: id,
      owner,
      others: planned.others.map(contactOf),
      count: planned.messages,
      lastAt: lastActive,
      scale,
      shape: answers.attachments,
    });
    for (const message of chat) messages.set(message.id, message);

    const isArchived = index % 9 === 5;
    const isNew = chat.length === 0;
    conversations.set(id, {
      id,
      contact_id: planned.contact === null ? null : contactOf(planned.contact).id,
      group_id: planned.group,
      pinned_message_id:
        index % 4 === 0 ? (chat.at(Math.floor(chat.length / 2))?.id ?? null) : null,
      is_pinned: index % 11 === 4,
      is_muted: index % 7 === 3,
      last_active_at: isNew ? null : lastActive * scale,
      last_opened_at: isNew ? null : (lastActive - random.below(7200)) * scale,
      created_at: (chat[0]?.created_at ?? lastActive * scale) - 90 * scale,
      archived_at: isArchived ? (lastActive + 600) * scale : null,
    });
  }
}
