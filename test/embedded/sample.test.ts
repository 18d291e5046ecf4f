import { expect, test } from 'vitest';
import type { Page } from '../../src/embedded/paging.ts';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { SAMPLE_TIME } from '../../src/embedded/resources.ts';
import { GRACE, LISBON, startTestService } from './service.ts';

const CONVERSATIONS = 'GET /v1/conversations?limit=1000';
const MESSAGES = 'GET /v1/messages?limit=10000';

/** All conversations and messages of a user in a fresh service. */
async function readAll(options = {}) {
  await using service = await startTestService();
  const conversations = await service.ask<Page<Conversation>>(
    CONVERSATIONS,
    undefined,
    options,
  );
  const messages = await service.ask<Page<Message>>(MESSAGES, undefined, options);
  return { conversations: conversations.body.data, messages: messages.body.data };
}

test('the sample data is the same at every start', async () => {
  const [first, second] = [await readAll(), await readAll()];

  expect(JSON.stringify(first)).toBe(JSON.stringify(second));
});

test.each([
  ['ada', {}, 40],
  ['grace', GRACE, 12],
])('%s has conversations of every kind', async (_user, options, count) => {
  const { conversations } = await readAll(options);

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

test('ada and grace share one conversation, and those of three groups, with all their messages', async () => {
  const [ada, grace] = [await readAll(), await readAll(GRACE)];

  const idsOfGrace = new Set(grace.conversations.map(({ id }) => id));
  const shared = ada.conversations.filter(({ id }) => idsOfGrace.has(id));
  expect(shared.map(({ id, group_id }) => group_id ?? id).toSorted()).toEqual([
    'conv_ada_grace',
    'group_choir',
    'group_cinema',
    'group_sunday_football',
  ]);
  const sharedIds = new Set(shared.map(({ id }) => id));
  const inShared = ({ messages }: typeof ada) =>
    messages.filter(({ conversation_id }) => sharedIds.has(conversation_id));
  const idsOfMessages = new Set(grace.messages.map(({ id }) => id));
  expect(inShared(grace)).toEqual(inShared(ada));
  expect(ada.messages.filter(({ id }) => idsOfMessages.has(id))).toEqual(inShared(ada));
  for (const id of sharedIds) {
    expect(inShared(ada).some((one) => one.conversation_id === id)).toBe(true);
  }
});

test('the conversation for paging has 640 messages, each at a different time', async () => {
  const { messages } = await readAll();

  const times = messages
    .filter(({ conversation_id }) => conversation_id === LISBON)
    .map(({ created_at }) => created_at);
  expect(times).toHaveLength(640);
  expect(new Set(times).size).toBe(640);
});

test('message ids are unique, and plain path segments', async () => {
  const { messages } = await readAll();

  const ids = messages.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^msg_0[\da-f]{11}$/.test(id))).toEqual([]);
});

test('there are messages of every kind', async () => {
  const { messages } = await readAll();

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
    expect(messages.some(isKind)).toBe(true);
  }
});

test('the last activity of a conversation is its last message, and a pinned message is its own', async () => {
  const { conversations, messages } = await readAll();

  for (const { id, last_active_at, pinned_message_id } of conversations) {
    const own = messages.filter(({ conversation_id }) => conversation_id === id);
    // Lists are newest first.
    expect(last_active_at).toBe(own[0]?.created_at ?? null);
    const ids: (string | null)[] = own.map((message) => message.id);
    expect([null, ...ids]).toContain(pinned_message_id);
  }
});

test('every contact is older than its messages, and nothing is later than the sample time', async () => {
  const { messages } = await readAll();

  for (const { contact, created_at, read_at, updated_at } of messages) {
    expect(contact.created_at).toBeLessThan(created_at);
    for (const later of [read_at, updated_at]) {
      expect(later ?? SAMPLE_TIME).toBeGreaterThan(created_at);
      expect(later ?? SAMPLE_TIME).toBeLessThanOrEqual(SAMPLE_TIME);
    }
  }
});
