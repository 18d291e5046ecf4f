import { expect, test } from 'vitest';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { GRACE, LISBON, type List, startAskedService } from './service.ts';

const lisbon = `/v1/conversations/${LISBON}`;
const all = 'GET /v1/conversations?limit=1000';

test('a list has ten conversations, last active first, and says that there are more', async () => {
  await using service = await startAskedService();

  const { body } = await service.ask<List<Conversation>>('GET /v1/conversations');

  const times = body.data.map((one) => one.last_active_at ?? one.created_at);
  expect(body.has_more).toBe(true);
  expect(times).toHaveLength(10);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test.each([
  ['muted', (one: Conversation) => one.is_muted],
  ['pinned', (one: Conversation) => one.is_pinned],
  ['archived', (one: Conversation) => one.archived_at !== null],
])('%s=true asks for those alone, and false for no filter', async (name, isWanted) => {
  await using service = await startAskedService();
  const { body: everything } = await service.ask<List<Conversation>>(all);

  const filtered = await service.ask<List<Conversation>>(`${all}&${name}=true`);
  const unfiltered = await service.ask<List<Conversation>>(`${all}&${name}=false`);

  expect(filtered.body.data.length).toBeGreaterThan(1);
  expect(filtered.body.data).toEqual(everything.data.filter(isWanted));
  expect(unfiltered.body).toEqual(everything);
});

test('filters add up', async () => {
  await using service = await startAskedService();
  await service.ask(`PUT ${lisbon}`, 'is_muted=true&is_pinned=true');

  const { body } = await service.ask<List<Conversation>>(
    `${all}&muted=true&pinned=true&group_id=group_lisbon_trip`,
  );

  expect(body.data.map(({ id }) => id)).toEqual([LISBON]);
});

test('a group nobody knows has no conversations', async () => {
  await using service = await startAskedService();

  const { status, body } = await service.ask(`${all}&group_id=group_unknown`);

  expect(status).toBe(200);
  expect(body).toEqual({ has_more: false, data: [] });
});

test.each([
  ['contact_id=contact_x', { contact_id: 'contact_x', group_id: null }],
  ['group_id=group_choir', { contact_id: null, group_id: 'group_choir' }],
])('a conversation made with %s starts out plain', async (form, ids) => {
  await using service = await startAskedService();

  const { status, body } = await service.ask<Conversation>(
    'POST /v1/conversations',
    form,
  );

  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.stringMatching(/^conv_1/),
    ...ids,
    pinned_message_id: null,
    is_pinned: false,
    is_muted: false,
    last_active_at: null,
    last_opened_at: null,
    created_at: expect.any(Number),
    archived_at: null,
  });
  const again = await service.ask(`GET /v1/conversations/${body.id}`);
  expect(again.body).toEqual(body);
});

test('a conversation without activity stands where it was created', async () => {
  await using service = await startAskedService();

  const made = await service.ask<Conversation>(
    'POST /v1/conversations',
    'contact_id=contact_x',
  );

  const { body } = await service.ask<List<Conversation>>('GET /v1/conversations?limit=1');
  expect(body.data).toEqual([made.body]);
});

test.each([
  ['is_pinned=true', { is_pinned: true }],
  ['is_muted=true', { is_muted: true }],
  ['is_muted=true&is_pinned=false', { is_muted: true, is_pinned: false }],
  ['archived_at=1772357400', { archived_at: 1772357400 }],
  ['pinned_message_id=', { pinned_message_id: null }],
  ['', {}],
])('an update with "%s" changes that alone', async (form, change) => {
  await using service = await startAskedService();
  const before = await service.ask<Conversation>(`GET ${lisbon}`);

  const { status, body } = await service.ask<Conversation>(`PUT ${lisbon}`, form);

  expect(status).toBe(200);
  expect(body).toEqual({ ...before.body, ...change });
  expect((await service.ask(`GET ${lisbon}`)).body).toEqual(body);
});

test('an archived conversation is brought back by an empty archived_at', async () => {
  await using service = await startAskedService();
  await service.ask(`PUT ${lisbon}`, 'archived_at=1772357400');

  const { body } = await service.ask<Conversation>(`PUT ${lisbon}`, 'archived_at=');

  expect(body.archived_at).toBeNull();
});

test('a message of the conversation can be pinned, one of another cannot', async () => {
  await using service = await startAskedService();
  const { body } = await service.ask<List<Message>>('GET /v1/messages?limit=1000');
  const inside = body.data.find(({ conversation_id }) => conversation_id === LISBON)?.id;
  const outside = body.data.find(({ conversation_id }) => conversation_id !== LISBON)?.id;

  const pinned = await service.ask<Conversation>(
    `PUT ${lisbon}`,
    `pinned_message_id=${inside}`,
  );
  const refused = await service.ask(`PUT ${lisbon}`, `pinned_message_id=${outside}`);

  expect(pinned.body.pinned_message_id).toBe(inside);
  expect(refused.status).toBe(400);
});

test('a deleted conversation takes its messages with it, and no others', async () => {
  await using service = await startAskedService();
  const messages = 'GET /v1/messages?limit=10000';
  const before = await service.ask<List<Message>>(messages);

  const deleted = await service.ask(`DELETE ${lisbon}`);

  const after = await service.ask<List<Message>>(messages);
  expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
  expect((await service.ask(`GET ${lisbon}`)).status).toBe(404);
  expect(after.body.data).toEqual(
    before.body.data.filter(({ conversation_id }) => conversation_id !== LISBON),
  );
});

test.each(['GET', 'PUT', 'DELETE'])(
  "%s of someone else's conversation is 404",
  async (method) => {
    await using service = await startAskedService();
    const form = method === 'PUT' ? 'is_muted=true' : undefined;

    const { status } = await service.ask(`${method} ${lisbon}`, form, GRACE);

    expect(status).toBe(404);
  },
);
