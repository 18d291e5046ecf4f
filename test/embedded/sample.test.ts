import { expect, test } from 'vitest';
import type { ListBody } from '../../src/embedded/paging.ts';
import {
  type Conversation,
  type Message,
  SAMPLE_TIME,
} from '../../src/embedded/resources.ts';
import { GRACE, LISBON, startTestService } from './service.ts';

/** All conversations and messages of a user in a fresh service. */
async function readAll(options = {}) {
  await using service = await startTestService();
  const readList = async <T>(line: string) =>
    (await service.ask<ListBody<T>>(line, undefined, options)).body.data;
  const conversations = await readList<Conversation>('GET /v1/conversations?limit=1000');
  const messages = await readList<Message>('GET /v1/messages?limit=10000');
  return { conversations, messages };
}

const ada = await readAll();
const grace = await readAll(GRACE);

test('the sample data is the same at every start', async () => {
  expect(JSON.stringify(await readAll())).toBe(JSON.stringify(ada));
});

test.each([
  ['ada', ada, 40],
  ['grace', grace, 12],
])('%s has conversations of every kind', (_, { conversations }, count) => {
  expect(conversations).toHaveLength(count);
  for (const isKind of [
    (one: Conversation) => one.group_id === null && one.contact_id !== null,
    (one: Conversation) => one.group_id !== null && one.contact_id === null,
    (one: Conversation) => one.is_pinned,
    (one: Conversation) => one.is_muted,
    (one: Conversation) => one.archived_at !== null,
    (one: Conversation) => one.pinned_message_id !== null,
    (one: Conversation) => one.last_active_at === null && one.last_opened_at === null,
  ]) {
    expect(conversations.some(isKind)).toBe(true);
  }
});

test('there are messages of every kind, with ids that are unique and plain path segments', () => {
  for (const isKind of [
    (one: Message) => one.read_at === null,
    (one: Message) => one.updated_at !== null,
    (one: Message) => one.reactions.length > 1,
    (one: Message) => one.attachments.length > 0,
    (one: Message) => one.message.includes('\n'),
    (one: Message) => /[&=%]/.test(one.message),
    (one: Message) => /\p{Script=Han}/u.test(one.message),
    (one: Message) => one.contact.phone_number === null,
    (one: Message) => one.contact.avatar_url === null,
    (one: Message) => one.contact.last_active_at === null,
    (one: Message) => one.contact.username === 'ada',
  ]) {
    expect(ada.messages.some(isKind)).toBe(true);
  }
  const ids = ada.messages.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^msg_0[\da-f]{11}$/.test(id))).toEqual([]);
});

test('ada and grace share one conversation, and those of three groups, with all their messages', () => {
  const idsOfGrace = new Set(grace.conversations.map(({ id }) => id));
  const shared = ada.conversations.filter(({ id }) => idsOfGrace.has(id));
  expect(shared.map(({ id, group_id }) => group_id ?? id).toSorted()).toEqual([
    'conv_ada_grace',
    'group_choir',
    'group_cinema',
    'group_sunday_football',
  ]);
  const inShared = ({ messages }: typeof ada) =>
    messages.filter((message) => shared.some(({ id }) => id === message.conversation_id));
  const idsOfMessages = new Set(grace.messages.map(({ id }) => id));
  expect(inShared(grace)).toEqual(inShared(ada));
  expect(ada.messages.filter(({ id }) => idsOfMessages.has(id))).toEqual(inShared(ada));
  expect(new Set(inShared(ada).map((one) => one.conversation_id)).size).toBe(4);
});

test('the last activity of a conversation is its last message, a pinned message is its own, and one has 640 messages', () => {
  for (const { id, last_active_at, pinned_message_id } of ada.conversations) {
    const own = ada.messages.filter(({ conversation_id }) => conversation_id === id);
    // Lists are newest first.
    expect(last_active_at).toBe(own[0]?.created_at ?? null);
    const ids: (string | null)[] = own.map((message) => message.id);
    expect([null, ...ids]).toContain(pinned_message_id);
    if (id === LISBON)
      expect(new Set(own.map(({ created_at }) => created_at)).size).toBe(640);
  }
});

test('every contact is older than its messages, and nothing is later than the sample time', () => {
  for (const { contact, created_at, read_at, updated_at } of ada.messages) {
    expect(contact.created_at).toBeLessThan(created_at);
    for (const later of [read_at, updated_at]) {
      expect(later ?? SAMPLE_TIME).toBeGreaterThan(created_at);
      expect(later ?? SAMPLE_TIME).toBeLessThanOrEqual(SAMPLE_TIME);
    }
  }
});

test.each([
  ['ada', ada],
  ['grace', grace],
])(
  'most conversations of %s are read, and opened after what %s has read or written',
  (username, mailbox) => {
    const used = mailbox.conversations.filter((one) => one.last_active_at !== null);
    const unread = used.filter(
      ({ last_active_at, last_opened_at }) =>
        (last_active_at ?? 0) > (last_opened_at ?? 0),
    );

    expect(unread.length).toBeGreaterThan(0);
    expect(unread.length).toBeLessThan(used.length / 2);
    for (const { id, last_opened_at } of used)
      for (const { conversation_id, contact, read_at, created_at } of mailbox.messages)
        if (conversation_id === id && (read_at !== null || contact.username === username))
          expect(created_at).toBeLessThan(last_opened_at ?? 0);
  },
);
