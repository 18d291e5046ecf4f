import { expect, test } from 'vitest';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import {
  type ErrorBody,
  FORM,
  LISBON,
  LISBON_PATH,
  startTestService,
  startWithMessage,
} from './service.ts';

const IN_LISBON = `conversation_id=${LISBON}`;
/** Placeholder for the path of a message. */
const MESSAGE = '/v1/messages/MESSAGE';

/** By endpoint: queries (of a GET) or bodies that are refused, each with what the error names. */
const REFUSED: Record<string, readonly (readonly [string | undefined, string])[]> = {
  'GET /v1/messages': [
    ['limit=0', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=99999999999999999', 'limit'],
    ['limit[]=1', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['conversation_id=', 'conversation_id'],
    ['starting_after=x', 'starting_after'],
    ['__proto__=x', '__proto__'],
    ['limit=%zz', '%zz'],
    ['li[mit=1', 'li[mit'],
    ['=1', 'is not a parameter name'],
  ],
  'GET /v1/conversations': [
    ['muted=yes', 'muted'],
    ['conversation_id=x', 'conversation_id'],
  ],
  [`GET ${LISBON_PATH}`]: [['limit=1', 'limit']],
  'POST /v1/messages': [
    [undefined, 'conversation_id'],
    [`${IN_LISBON}&message=`, 'message'],
    [`${IN_LISBON}&message[]=a`, 'message'],
    [`${IN_LISBON}&message=a&attachments=x`, 'attachments'],
    [`${IN_LISBON}&message=a&attachments[x]=1`, 'attachments'],
    [`${IN_LISBON}&message=%E0%A4`, '%E0%A4'],
  ],
  'POST /v1/messages?limit=1': [[`${IN_LISBON}&message=a`, 'limit']],
  'POST /v1/conversations': [['', 'contact_id']],
  [`PUT ${LISBON_PATH}`]: [
    ['is_muted=', 'is_muted'],
    ['archived_at=-1', 'archived_at'],
    ['pinned_message_id=unknown', 'pinned_message_id'],
    ['contact_id=a', 'contact_id'],
  ],
  [`PUT ${MESSAGE}`]: [
    ['reactions[]=heart', 'reactions'],
    ['reactions[heart]=ada', 'reactions[heart]'],
    ['reactions[heart][]=', 'reactions[heart]'],
    ['reactions[heart][ada]=1', 'reactions[heart]'],
    ['reactions=&reactions[heart][]=ada', 'reactions'],
    ['attachments[0][url]=y&attachments[0]=x', 'attachments[0]'],
    ['attachments[]=x&attachments[0]=y', 'attachments[0]'],
    ['attachments[][url]=x', 'is not a parameter name'],
    [`attachments[0]${'[a]'.repeat(101)}=x`, 'is not a parameter name'],
    [`${'attachments[]=x&'.repeat(20_001)}message=a`, 'form'],
  ],
  [`DELETE ${LISBON_PATH}`]: [['really=true', 'really']],
};

const refused = Object.entries(REFUSED).flatMap(([endpoint, rows]) =>
  rows.map(([sent, named]) => [endpoint, sent, named] as const),
);

test.each(refused)(
  '%s with "%s" gets 400 and names %s',
  async (endpoint, sent, named) => {
    await using service = await startWithMessage();
    const line = endpoint.replace(MESSAGE, service.path);

    const { status, body } = line.startsWith('GET')
      ? await service.ask<ErrorBody>(`${line}?${sent}`)
      : await service.ask<ErrorBody>(line, sent);

    expect(status).toBe(400);
    expect(body.error.message).toContain(named);
  },
);

test('a refused update changes nothing', async () => {
  await using service = await startTestService();
  const before = await service.ask<Conversation>(`GET ${LISBON_PATH}`);

  await service.ask(`PUT ${LISBON_PATH}`, 'is_muted=true&archived_at=x');

  const after = await service.ask<Conversation>(`GET ${LISBON_PATH}`);
  expect(after.body).toEqual(before.body);
});

test.each([
  [`${FORM}; charset=UTF-8`, 100, 200],
  [FORM, 1024 * 1024, 200],
  [FORM, 1024 * 1024 + 1, 413],
])('a body of type %s with %i bytes gets %i', async (type, bytes, expected) => {
  await using service = await startTestService();
  const form = `${IN_LISBON}&message=`.padEnd(bytes, 'x');

  const { status } = await service.ask<Message>('POST /v1/messages', form, { type });

  expect(status).toBe(expected);
});
