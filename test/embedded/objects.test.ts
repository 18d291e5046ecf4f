import { expect, test } from 'vitest';
import type { ListBody } from '../../src/embedded/paging.ts';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import {
  GRACE,
  LISBON,
  LISBON_PATH,
  startTestService,
  startWithMessage,
} from './service.ts';

test('a sent message has its sender and text, is neither read nor updated, and comes first in the list', async () => {
  await using service = await startTestService();
  const before = Math.floor(Date.now() / 1000);

  const { status, body } = await service.ask<Message>(
    'POST /v1/messages',
    `conversation_id=${LISBON}&message=a%26b%3D1+%25%0A%F0%9F%8E%89`,
  );

  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: expect.stringMatching(/^msg_1/),
    conversation_id: LISBON,
    contact: expect.objectContaining({ username: 'ada' }),
    message: 'a&b=1 %\n🎉',
    reactions: [],
    attachments: [],
    read_at: null,
    created_at: expect.any(Number),
    updated_at: null,
  });
  expect(body.created_at).toBeGreaterThanOrEqual(before);
  expect((await service.ask(`GET /v1/messages/${body.id}`)).body).toEqual(body);
  const second = await service.ask<Message>(
    'POST /v1/messages',
    `conversation_id=${LISBON}&message=second`,
  );
  const list = await service.ask<ListBody<Message>>('GET /v1/messages?limit=2');
  expect(list.body.data).toEqual([second.body, body]);
});

test('an update changes the fields that were sent and updated_at', async () => {
  await using service = await startWithMessage({}, '&attachments[]=kept');

  const { body } = await service.ask<Message>(`PUT ${service.path}`, 'message=changed');

  expect(body).toEqual({
    ...service.sent.body,
    message: 'changed',
    updated_at: expect.any(Number),
  });
  expect((await service.ask<Message>(`GET ${service.path}`)).body).toEqual(body);
});

test('a deleted message is unknown to retrieval and to a second delete', async () => {
  await using service = await startWithMessage();

  const deleted = await service.ask(`DELETE ${service.path}`);

  expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
  expect((await service.ask(`GET ${service.path}`)).status).toBe(404);
  expect((await service.ask(`DELETE ${service.path}`)).status).toBe(404);
});

test("another user's messages and conversations are unknown", async () => {
  await using service = await startWithMessage();
  const lines = [
    [`GET ${service.path}`],
    [`PUT ${service.path}`, 'message=mine'],
    [`DELETE ${service.path}`],
    [`GET /v1/messages?conversation_id=${LISBON}`],
    ['POST /v1/messages', `conversation_id=${LISBON}&message=hi`],
    [`GET ${LISBON_PATH}`],
    [`PUT ${LISBON_PATH}`, 'is_muted=true'],
    [`DELETE ${LISBON_PATH}`],
  ] as const;

  for (const [line, form] of lines) {
    const { status } = await service.ask(line, form, GRACE);
    expect([line, status]).toEqual([line, 404]);
  }
});

test.each([
  ['contact_id=contact_x', { contact_id: 'contact_x', group_id: null }],
  ['group_id=group_choir', { contact_id: null, group_id: 'group_choir' }],
])('created with %s, a conversation is plain and comes first', async (form, ids) => {
  await using service = await startTestService();

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
  const retrieved = await service.ask(`GET /v1/conversations/${body.id}`);
  expect(retrieved.body).toEqual(body);
  const list = await service.ask<ListBody<Conversation>>('GET /v1/conversations?limit=1');
  expect(list.body.data).toEqual([body]);
});

test.each([
  ['is_muted=true&is_pinned=false', { is_muted: true, is_pinned: false }],
  ['archived_at=1772357400', { archived_at: 1772357400 }],
  ['archived_at=', { archived_at: null }],
  ['pinned_message_id=', { pinned_message_id: null }],
  ['', {}],
])(
  'an update of an archived one with "%s" changes nothing else',
  async (form, change) => {
    await using service = await startTestService();
    const before = await service.ask<Conversation>(`PUT ${LISBON_PATH}`, 'archived_at=5');

    const { status, body } = await service.ask<Conversation>(`PUT ${LISBON_PATH}`, form);

    expect(status).toBe(200);
    expect(body).toEqual({ ...before.body, ...change });
    expect((await service.ask(`GET ${LISBON_PATH}`)).body).toEqual(body);
  },
);

test('only a message of the conversation itself can be pinned', async () => {
  await using service = await startTestService();
  const { body } = await service.ask<ListBody<Message>>('GET /v1/messages?limit=1000');
  const inside = body.data.find(({ conversation_id }) => conversation_id === LISBON)?.id;
  const outside = body.data.find(({ conversation_id }) => conversation_id !== LISBON)?.id;

  const pinned = await service.ask<Conversation>(
    `PUT ${LISBON_PATH}`,
    `pinned_message_id=${inside}`,
  );
  const refused = await service.ask(`PUT ${LISBON_PATH}`, `pinned_message_id=${outside}`);

  expect(pinned.body.pinned_message_id).toBe(inside);
  expect(refused.status).toBe(400);
});
