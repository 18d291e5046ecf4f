import { expect, test } from 'vitest';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { GRACE, LISBON, type List, startAskedService } from './service.ts';

/** A service and a fresh message of ada's in it. */
async function startWithMessage(more = '') {
  const service = await startAskedService();
  const { body } = await service.ask<Message>(
    'POST /v1/messages',
    `conversation_id=${LISBON}&message=hello${more}`,
  );
  const line = `/v1/messages/${body.id}`;
  return { ...service, sent: body, line };
}

test('a list has ten messages, newest first, and says that there are more', async () => {
  await using service = await startAskedService();

  const { body } = await service.ask<List<Message>>('GET /v1/messages');

  const times = body.data.map(({ created_at }) => created_at);
  expect(body.has_more).toBe(true);
  expect(times).toHaveLength(10);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test.each([
  [639, true],
  [640, false],
  [641, false],
])('limit=%i of 640 messages: has_more is %s', async (limit, hasMore) => {
  await using service = await startAskedService();

  const { body } = await service.ask<List<Message>>(
    `GET /v1/messages?conversation_id=${LISBON}&limit=${limit}`,
  );

  expect(body.has_more).toBe(hasMore);
  expect(body.data).toHaveLength(Math.min(limit, 640));
});

test('a list of one conversation has its messages only', async () => {
  await using service = await startAskedService();

  const { body } = await service.ask<List<Message>>(
    `GET /v1/messages?conversation_id=${LISBON}&limit=1000`,
  );

  expect(new Set(body.data.map(({ conversation_id }) => conversation_id))).toEqual(
    new Set([LISBON]),
  );
});

test('a message that was sent is of its sender, unread and unchanged', async () => {
  await using service = await startAskedService();
  const before = Math.floor(Date.now() / 1000);

  const { status, body } = await service.ask<Message>(
    'POST /v1/messages',
    `conversation_id=${LISBON}&message=a%26b%3D1+%25%0A%F0%9F%8E%89`,
  );

  expect(status).toBe(200);
  expect(body).toEqual({
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
});

test('a message that was sent is there, and first in its list', async () => {
  await using service = await startWithMessage();
  const second = await service.ask<Message>(
    'POST /v1/messages',
    `conversation_id=${LISBON}&message=second`,
  );

  const one = await service.ask<Message>(`GET ${service.line}`);
  const list = await service.ask<List<Message>>('GET /v1/messages?limit=2');

  expect(one.body).toEqual(service.sent);
  expect(list.body.data).toEqual([second.body, service.sent]);
});

test('sending makes the conversation active', async () => {
  await using service = await startWithMessage();

  const { body } = await service.ask<Conversation>(`GET /v1/conversations/${LISBON}`);

  expect(body.last_active_at).toBe(service.sent.created_at);
});

test('an update changes what was sent, sets updated_at, and leaves the rest', async () => {
  await using service = await startWithMessage('&attachments[]=kept');

  const { body } = await service.ask<Message>(`PUT ${service.line}`, 'message=changed');

  expect(body).toEqual({
    ...service.sent,
    message: 'changed',
    updated_at: expect.any(Number),
  });
  expect((await service.ask<Message>(`GET ${service.line}`)).body).toEqual(body);
});

test.each([
  [
    'several names',
    'reactions[heart][]=ada&reactions[heart][]=grace&reactions[%F0%9F%8E%89][]=ada',
    [{ heart: ['ada', 'grace'] }, { '🎉': ['ada'] }],
  ],
  ['encoded brackets', 'reactions%5Bheart%5D%5B%5D=ada', [{ heart: ['ada'] }]],
  [
    'indices',
    'reactions[heart][0]=ada&reactions[heart][1]=grace',
    [{ heart: ['ada', 'grace'] }],
  ],
  [
    'numbers, in order',
    'reactions[9][]=ada&reactions[1][]=ada',
    [{ 9: ['ada'] }, { 1: ['ada'] }],
  ],
  ['a dot', 'reactions[a.b][]=ada', [{ 'a.b': ['ada'] }]],
  [
    'a space',
    'reactions[a+b][]=ada&reactions[c%20d][]=ada',
    [{ 'a b': ['ada'] }, { 'c d': ['ada'] }],
  ],
  ['marks of a form', 'reactions[a%26b%3Dc%25][]=ada', [{ 'a&b=c%': ['ada'] }]],
  ['a colon', 'reactions[:x:][]=ada', [{ ':x:': ['ada'] }]],
  ['constructor', 'reactions[constructor][]=ada', [{ constructor: ['ada'] }]],
  ['a username twice', 'reactions[x][]=ada&reactions[x][]=ada', [{ x: ['ada'] }]],
  ['one name emptied', 'reactions[heart]=&reactions[x][]=ada', [{ x: ['ada'] }]],
])('reactions survive: %s', async (_case, form, reactions) => {
  await using service = await startWithMessage();

  const { body } = await service.ask<Message>(`PUT ${service.line}`, form);

  expect(body.reactions).toEqual(reactions);
});

test('a reaction called __proto__ survives', async () => {
  await using service = await startWithMessage();

  const { text } = await service.ask(`PUT ${service.line}`, 'reactions[__proto__][]=ada');

  expect(text).toContain('"reactions":[{"__proto__":["ada"]}]');
});

test.each([
  ['reactions=', []],
  ['reactions[heart]=', [{ party: ['ada'] }]],
  ['reactions[heart][]=bob', [{ heart: ['bob'] }, { party: ['ada'] }]],
])('%s changes the reactions that are there', async (form, reactions) => {
  await using service = await startWithMessage();
  await service.ask(
    `PUT ${service.line}`,
    'reactions[heart][]=ada&reactions[party][]=ada',
  );

  const { body } = await service.ask<Message>(`PUT ${service.line}`, form);

  expect(body.reactions).toEqual(reactions);
});

test.each([
  [
    'nested, with text beside',
    'attachments[0][url]=x&attachments[0][meta][width]=3&attachments[1]=plain',
    [{ url: 'x', meta: { width: '3' } }, 'plain'],
  ],
  ['one text', 'attachments[]=plain', ['plain']],
  ['none', 'attachments=', []],
  ['lists in lists', 'attachments[0][0][0]=a&attachments[0][1][]=b', [[['a'], ['b']]]],
  ['gaps are names', 'attachments[0][3]=a', [{ 3: 'a' }]],
  ['names of Object.prototype', 'attachments[0][toString]=a', [{ toString: 'a' }]],
  ['a dot', 'attachments[0][a.b]=a', [{ 'a.b': 'a' }]],
])('attachments keep their structure: %s', async (_case, form, attachments) => {
  await using service = await startWithMessage('&attachments[]=old');

  const { body } = await service.ask<Message>(`PUT ${service.line}`, form);

  expect(body.attachments).toEqual(attachments);
});

test('an attachment keeps its keys in the order sent', async () => {
  await using service = await startWithMessage();

  const { text } = await service.ask(
    `PUT ${service.line}`,
    'attachments[0][z]=1&attachments[0][__proto__]=2&attachments[0][a]=3',
  );

  expect(text).toContain('"attachments":[{"z":"1","__proto__":"2","a":"3"}]');
});

test.each(['[]', '[INDEX]', '[INDEX][url]'])(
  '300 attachments written %s are a list',
  async (form) => {
    await using service = await startWithMessage();
    const fields = Array.from(
      { length: 300 },
      (_, index) => `attachments${form.replace('INDEX', String(index))}=${index}`,
    );

    const { body } = await service.ask<Message>(`PUT ${service.line}`, fields.join('&'));

    expect(body.attachments).toHaveLength(300);
    expect(JSON.stringify(body.attachments[299])).toContain('"299"');
  },
);

test('an attachment may be 64 levels deep', async () => {
  await using service = await startWithMessage();

  const { text } = await service.ask(
    `PUT ${service.line}`,
    `attachments[0]${'[a]'.repeat(64)}=deep`,
  );

  expect(text).toContain(`${'{"a":'.repeat(64)}"deep"`);
});

test('a deleted message is gone for good', async () => {
  await using service = await startWithMessage();

  const deleted = await service.ask(`DELETE ${service.line}`);

  expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
  expect((await service.ask(`GET ${service.line}`)).status).toBe(404);
  expect((await service.ask(`DELETE ${service.line}`)).status).toBe(404);
});

test('deleting the pinned message unpins it', async () => {
  await using service = await startWithMessage();
  await service.ask(
    `PUT /v1/conversations/${LISBON}`,
    `pinned_message_id=${service.sent.id}`,
  );

  await service.ask(`DELETE ${service.line}`);

  const { body } = await service.ask<Conversation>(`GET /v1/conversations/${LISBON}`);
  expect(body.pinned_message_id).toBeNull();
});

test.each(['GET', 'PUT', 'DELETE'])(
  "%s of someone else's message is 404",
  async (method) => {
    await using service = await startWithMessage();
    const form = method === 'PUT' ? 'message=mine' : undefined;

    const { status } = await service.ask(`${method} ${service.line}`, form, GRACE);

    expect(status).toBe(404);
  },
);

test.each([
  ['GET', `GET /v1/messages?conversation_id=${LISBON}`, undefined],
  ['POST', 'POST /v1/messages', `conversation_id=${LISBON}&message=hi`],
])(
  "%s of messages in someone else's conversation is 404",
  async (_method, line, form) => {
    await using service = await startAskedService();

    const { status } = await service.ask(line, form, GRACE);

    expect(status).toBe(404);
  },
);
