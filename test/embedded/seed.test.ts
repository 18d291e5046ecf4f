import { expect, test } from 'vitest';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { GRACE, LISBON, type List, startAskedService } from './service.ts';

const conversations = 'GET /v1/conversations?limit=1000';
const messages = 'GET /v1/messages?limit=10000';
type Conversations = List<Conversation>;
type Messages = List<Message>;

test.each([conversations, messages])('%s is the same at every start', async (line) => {
  await using first = await startAskedService();
  await using second = await startAskedService();

  const [one, other] = await Promise.all([first.ask(line), second.ask(line)]);

  expect(one.text).toBe(other.text);
});

test.each([
  ['ada', {}, 40],
  ['grace', GRACE, 12],
])('%s has conversations of every kind', async (_who, options, count) => {
  await using service = await startAskedService();

  const { data } = (await service.ask<Conversations>(conversations, undefined, options))
    .body;

  expect(data).toHaveLength(count);
  for (const isKind of [
    (one: Conversation) => one.group_id === null && one.contact_id !== null,
    (one: Conversation) => one.group_id !== null && one.contact_id === null,
    (one: Conversation) => one.is_pinned,
    (one: Conversation) => one.is_muted,
    (one: Conversation) => one.archived_at !== null,
    (one: Conversation) => one.pinned_message_id !== null,
    (one: Conversation) => one.last_active_at === null && one.last_opened_at === null,
  ]) {
    expect(data.some(isKind)).toBe(true);
  }
});

test('ada and grace share groups, and no conversation or message', async () => {
  await using service = await startAskedService();
  const idsOf = async (line: string, options = {}) => {
    const { body } = await service.ask<Conversations>(line, undefined, options);
    return new Set(
      body.data.flatMap(({ id, group_id }) => (group_id ? [id, group_id] : [id])),
    );
  };

  const shared = async (line: string) => {
    const [ofAda, ofGrace] = [await idsOf(line), await idsOf(line, GRACE)];
    return [...ofAda].filter((id) => ofGrace.has(id)).toSorted();
  };

  expect(await shared(conversations)).toEqual([
    'group_choir',
    'group_cinema',
    'group_sunday_football',
  ]);
  expect(await shared(messages)).toEqual([]);
});

test('the conversation to page through has exactly 640 messages, no two at once', async () => {
  await using service = await startAskedService();

  const { body } = await service.ask<Messages>(`${messages}&conversation_id=${LISBON}`);

  expect(body.data).toHaveLength(640);
  expect(new Set(body.data.map(({ created_at }) => created_at)).size).toBe(640);
});

test('every id is one plain path segment, and there once', async () => {
  await using service = await startAskedService();

  const { body } = await service.ask<Messages>(messages);

  const ids = body.data.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^msg_0[\da-f]{11}$/.test(id))).toEqual([]);
});

test('messages are of every kind', async () => {
  await using service = await startAskedService();

  const { data } = (await service.ask<Messages>(messages)).body;

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
    expect(data.some(isKind)).toBe(true);
  }
});

test('a conversation was last active when its last message was created', async () => {
  await using service = await startAskedService();
  const { data } = (await service.ask<Messages>(messages)).body;

  const lists = await service.ask<Conversations>(conversations);

  // Newest first, so the first one found is the last one said.
  const lastOf = (id: string) =>
    data.find(({ conversation_id }) => conversation_id === id);
  expect(lists.body.data.map(({ last_active_at }) => last_active_at)).toEqual(
    lists.body.data.map(({ id }) => lastOf(id)?.created_at ?? null),
  );
});

test('a pinned message is one of its conversation', async () => {
  await using service = await startAskedService();
  const { data } = (await service.ask<Messages>(messages)).body;

  const lists = await service.ask<Conversations>(conversations);

  for (const { id, pinned_message_id } of lists.body.data) {
    if (pinned_message_id === null) continue;
    expect(data.find((one) => one.id === pinned_message_id)?.conversation_id).toBe(id);
  }
});

test('everything happened in order, and before the seed was taken', async () => {
  await using service = await startAskedService();

  const { data } = (await service.ask<Messages>(messages)).body;

  const seedNow = Date.UTC(2026, 2, 1, 9, 30) / 1000;
  for (const { contact, created_at, read_at, updated_at } of data) {
    expect(contact.created_at).toBeLessThan(created_at);
    for (const later of [read_at, updated_at]) {
      expect(later ?? seedNow).toBeGreaterThan(created_at);
      expect(later ?? seedNow).toBeLessThanOrEqual(seedNow);
    }
  }
});
