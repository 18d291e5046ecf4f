import { expect, test } from 'vitest';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { type ErrorBody, FORM, LISBON, type List, startAskedService } from './service.ts';

test.each([
  ['limit=0', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=abc', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=', 'limit'],
  ['limit=99999999999999999', 'limit'],
  ['limit[]=1', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['conversation_id=', 'conversation_id'],
  ['muted=true', 'muted'],
  ['starting_after=x', 'starting_after'],
  ['ending_before=x', 'ending_before'],
  ['offset=1', 'offset'],
  ['page=1', 'page'],
  ['__proto__=x', '__proto__'],
  ['constructor=x', 'constructor'],
  ['limit=%zz', '%zz'],
  ['%zz=1', '%zz'],
  ['li[mit=1', 'li[mit'],
  ['=1', 'is no parameter name'],
])('messages?%s is 400 and the error names %s', async (query, named) => {
  await using service = await startAskedService();

  const { status, body } = await service.ask<ErrorBody>(`GET /v1/messages?${query}`);

  expect(status).toBe(400);
  expect(body.error.message).toContain(named);
});

test.each([
  ['muted=yes', 'muted'],
  ['archived=1', 'archived'],
  ['pinned=TRUE', 'pinned'],
  ['muted=', 'muted'],
  ['group_id=', 'group_id'],
  ['conversation_id=x', 'conversation_id'],
])('conversations?%s is 400 and the error names %s', async (query, named) => {
  await using service = await startAskedService();

  const { status, body } = await service.ask<ErrorBody>(`GET /v1/conversations?${query}`);

  expect(status).toBe(400);
  expect(body.error.message).toContain(named);
});

test.each([
  ['POST /v1/messages', 'message=hi', 'conversation_id'],
  ['POST /v1/messages', `conversation_id=${LISBON}`, 'message'],
  ['POST /v1/messages', undefined, 'conversation_id'],
  ['POST /v1/messages', `conversation_id=${LISBON}&message=`, 'message'],
  ['POST /v1/messages', `conversation_id=${LISBON}&message[]=a`, 'message'],
  ['POST /v1/messages', `conversation_id=${LISBON}&message=a&message=b`, 'message'],
  ['POST /v1/messages', `conversation_id=${LISBON}&message=a&reactions=`, 'reactions'],
  [
    'POST /v1/messages',
    `conversation_id=${LISBON}&message=a&attachments=x`,
    'attachments',
  ],
  [
    'POST /v1/messages',
    `conversation_id=${LISBON}&message=a&attachments[x]=1`,
    'attachments',
  ],
  ['POST /v1/messages', `conversation_id=${LISBON}&message=%E0%A4`, '%E0%A4'],
  ['POST /v1/messages?limit=1', `conversation_id=${LISBON}&message=a`, 'limit'],
  ['POST /v1/conversations', '', 'contact_id'],
  ['POST /v1/conversations', 'contact_id=', 'contact_id'],
  ['POST /v1/conversations', 'contact_id=a&is_muted=true', 'is_muted'],
  [`PUT /v1/conversations/${LISBON}`, 'is_pinned=yes', 'is_pinned'],
  [`PUT /v1/conversations/${LISBON}`, 'is_muted=', 'is_muted'],
  [`PUT /v1/conversations/${LISBON}`, 'archived_at=x', 'archived_at'],
  [`PUT /v1/conversations/${LISBON}`, 'archived_at=-1', 'archived_at'],
  [`PUT /v1/conversations/${LISBON}`, 'archived_at=9007199254740992', 'archived_at'],
  [`PUT /v1/conversations/${LISBON}`, 'pinned_message_id=unknown', 'pinned_message_id'],
  [`PUT /v1/conversations/${LISBON}`, 'contact_id=a', 'contact_id'],
  [`GET /v1/conversations/${LISBON}?limit=1`, undefined, 'limit'],
  [`DELETE /v1/conversations/${LISBON}?limit=1`, undefined, 'limit'],
  [`DELETE /v1/conversations/${LISBON}`, 'really=true', 'really'],
])('%s with %s is 400 and the error names %s', async (line, form, named) => {
  await using service = await startAskedService();

  const { status, body } = await service.ask<ErrorBody>(line, form);

  expect(status).toBe(400);
  expect(body.error.message).toContain(named);
});

test.each([
  ['message=', 'message'],
  ['read_at=1', 'read_at'],
  ['reactions=heart', 'reactions'],
  ['reactions[]=heart', 'reactions'],
  ['reactions[heart]=ada', 'reactions[heart]'],
  ['reactions[heart][]=', 'reactions[heart]'],
  ['reactions[heart][ada]=1', 'reactions[heart]'],
  ['reactions[a[b][]=ada', 'a[b'],
  ['reactions=&reactions[heart][]=ada', 'reactions'],
  ['attachments=&attachments[0]=x', 'attachments'],
  ['attachments[0]=x&attachments[0][url]=y', 'attachments[0]'],
  ['attachments[]=x&attachments[url]=y', 'attachments'],
  ['attachments[]=x&attachments[0]=y', 'attachments[0]'],
  ['attachments[][url]=x', 'is no parameter name'],
  [`attachments[0]${'[a]'.repeat(101)}=x`, 'is no parameter name'],
  [`${'attachments[]=x&'.repeat(20_001)}message=a`, 'form'],
])(
  'an update of a message with %s is 400 and the error names %s',
  async (form, named) => {
    await using service = await startAskedService();
    const { body: list } = await service.ask<List<Message>>('GET /v1/messages?limit=1');

    const { status, body } = await service.ask<ErrorBody>(
      `PUT /v1/messages/${list.data[0]?.id}`,
      form,
    );

    expect(status).toBe(400);
    expect(body.error.message).toContain(named);
  },
);

test('a refused update changes nothing', async () => {
  await using service = await startAskedService();
  const line = `/v1/conversations/${LISBON}`;
  const before = await service.ask<Conversation>(`GET ${line}`);

  await service.ask(`PUT ${line}`, 'is_muted=true&archived_at=x');

  const after = await service.ask<Conversation>(`GET ${line}`);
  expect(after.body).toEqual(before.body);
});

test.each([
  'application/json',
  'multipart/form-data; boundary=x',
  'text/plain',
  'nonsense',
])('a body of type %s is 415', async (type) => {
  await using service = await startAskedService();

  const { status, body } = await service.ask<ErrorBody>('POST /v1/messages', '{}', {
    type,
  });

  expect(status).toBe(415);
  expect(body.error.code).toBe('unsupported_media_type');
});

test('a form may name its character set', async () => {
  await using service = await startAskedService();

  const { status } = await service.ask(
    'POST /v1/messages',
    `conversation_id=${LISBON}&message=hi`,
    { type: `${FORM}; charset=UTF-8` },
  );

  expect(status).toBe(200);
});

test.each([
  [1024 * 1024, 200],
  [1024 * 1024 + 1, 413],
])('a body of %i bytes is %i', async (bytes, expected) => {
  await using service = await startAskedService();
  const start = `conversation_id=${LISBON}&message=`;

  const { status } = await service.ask('POST /v1/messages', start.padEnd(bytes, 'x'));

  expect(status).toBe(expected);
});
