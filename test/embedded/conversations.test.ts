import { expect, test } from 'vitest';
import type { Page } from '../../src/embedded/paging.ts';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { LISBON, LISBON_PATH, startTestService } from './service.ts';

const ALL = 'GET /v1/conversations?limit=1000';

test.each([
  ['muted', (one: Conversation) => one.is_muted],
  ['pinned', (one: Conversation) => one.is_pinned],
  ['archived', (one: Conversation) => one.archived_at !== null],
])('%s=true filters the list, and false does not', async (name, matches) => {
  await using service = await startTestService();
  const { body: everything } = await service.ask<Page<Conversation>>(ALL);

  const filtered = await service.ask<Page<Conversation>>(`${ALL}&${name}=true`);
  const unfiltered = await service.ask<Page<Conversation>>(`${ALL}&${name}=false`);

  expect(filtered.body.data.length).toBeGreaterThan(1);
  expect(filtered.body.data).toEqual(everything.data.filter(matches));
  expect(unfiltered.body).toEqual(everything);
});

test('several filters must all match', async () => {
  await using service = await startTestService();
  await service.ask(`PUT ${LISBON_PATH}`, 'is_muted=true&is_pinned=true');
  const filtered = `${ALL}&muted=true&pinned=true&group_id=`;

  const { body } = await service.ask<Page<Conversation>>(`${filtered}group_lisbon_trip`);
  const unknown = await service.ask(`${filtered}group_unknown`);

  expect(body.data.map(({ id }) => id)).toEqual([LISBON]);
  expect(unknown.body).toEqual({ has_more: false, data: [] });
});

test.each([
  ['contact_id=contact_x', { contact_id: 'contact_x', group_id: null }],
  ['group_id=group_choir', { contact_id: null, group_id: 'group_choir' }],
])(
  'a conversation created with %s has no flags and no activity, and comes first',
  async (form, ids) => {
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
    const list = await service.ask<Page<Conversation>>('GET /v1/conversations?limit=1');
    expect(list.body.data).toEqual([body]);
  },
);

test.each([
  ['is_muted=true&is_pinned=false', { is_muted: true, is_pinned: false }],
  ['archived_at=1772357400', { archived_at: 1772357400 }],
  ['archived_at=', { archived_at: null }],
  ['pinned_message_id=', { pinned_message_id: null }],
  ['', {}],
])(
  'an update of an archived conversation with "%s" changes nothing else',
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
  const { body } = await service.ask<Page<Message>>('GET /v1/messages?limit=1000');
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
