import { expect, test } from 'vitest';
import { type Answers, DEFAULT_ANSWERS } from '../../src/embedded/answers.ts';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import {
  type ErrorBody,
  FORM,
  GRACE,
  LISBON,
  type List,
  startAskedService,
} from './service.ts';

const lisbon = `/v1/conversations/${LISBON}`;

/** A service that answers so, and a fresh message of ada's in it. */
async function startWithMessage(answers: Partial<Answers> = {}) {
  const service = await startAskedService(answers);
  const sent = await service.ask<Message>(
    'POST /v1/messages',
    `conversation_id=${LISBON}&message=hello`,
  );
  return { ...service, sent, line: `/v1/messages/${sent.body.id}` };
}

test.each([
  ['heart', 200],
  ['%F0%9F%91%8D', 200],
  ['party', 400],
])('with reactionNames, the reaction %s is %i', async (name, expected) => {
  await using service = await startWithMessage({ reactionNames: ['heart', '👍'] });

  const { status } = await service.ask(`PUT ${service.line}`, `reactions[${name}][]=ada`);

  expect(status).toBe(expected);
});

test.each<[Answers['attachments'], (attachment: object) => boolean]>([
  [
    'nested',
    (attachment) => Object.values(attachment).some((value) => typeof value === 'object'),
  ],
  [
    'flat',
    (attachment) => Object.values(attachment).every((value) => typeof value !== 'object'),
  ],
  ['bare', (attachment) => Object.keys(attachment).join() === 'type'],
])('with attachments=%s the sample data has them so', async (attachments, isSo) => {
  await using service = await startAskedService({ attachments });

  const { body } = await service.ask<List<Message>>('GET /v1/messages?limit=9999');

  const all = body.data.flatMap((message) => message.attachments as object[]);
  expect(all.length).toBeGreaterThan(50);
  expect(all.filter((attachment) => !isSo(attachment))).toEqual([]);
});

test.each<[Answers['timestampUnit'], number]>([
  ['seconds', 1],
  ['milliseconds', 1e3],
  ['microseconds', 1e6],
])('with timestampUnit=%s a second has %i', async (timestampUnit, perSecond) => {
  await using service = await startWithMessage({ timestampUnit });
  const now = Math.max(Date.now(), Date.UTC(2026, 2, 1)) / 1000;

  const { body } = await service.ask<Conversation>(`GET /v1/conversations/${LISBON}`);
  const list = await service.ask<List<Message>>('GET /v1/messages?limit=2');

  const [sent, seeded] = list.body.data;
  expect(Number.isSafeInteger(body.created_at)).toBe(true);
  expect(body.last_active_at).toBe(sent?.created_at);
  expect(Math.abs((sent?.created_at ?? 0) / perSecond - now)).toBeLessThan(60);
  expect(seeded?.created_at).toBe(
    (Date.UTC(2026, 2, 1, 9, 30) / 1000 - 12 * 60) * perSecond,
  );
});

test.each<[Answers['archived'], string, string, number]>([
  ['open', `PUT ${lisbon}`, 'is_muted=true', 200],
  ['open', 'POST /v1/messages', `conversation_id=${LISBON}&message=hi`, 200],
  ['frozen', `PUT ${lisbon}`, 'is_muted=true', 409],
  ['frozen', `PUT ${lisbon}`, 'archived_at=5', 409],
  ['frozen', 'POST /v1/messages', `conversation_id=${LISBON}&message=hi`, 409],
  ['frozen', `PUT ${lisbon}`, 'archived_at=', 200],
])(
  'with archived=%s, %s with %s on an archived conversation is %i',
  async (archived, line, form, expected) => {
    await using service = await startAskedService({ archived });
    await service.ask(`PUT ${lisbon}`, 'archived_at=1772357400');

    const { status } = await service.ask(line, form);

    expect(status).toBe(expected);
  },
);

test('success statuses are as told', async () => {
  await using service = await startWithMessage({
    readStatus: 203,
    createStatus: 201,
    updateStatus: 202,
    deleteStatus: 206,
  });

  const read = await service.ask(`GET ${service.line}`);
  const updated = await service.ask(`PUT ${service.line}`, 'message=b');
  const deleted = await service.ask(`DELETE ${service.line}`);

  expect([read, service.sent, updated, deleted].map(({ status }) => status)).toEqual([
    203, 201, 202, 206,
  ]);
});

test.each<[Partial<Answers>, number, string]>([
  [{}, 200, '{"deleted":true}'],
  [{ deleteBody: 'empty' }, 200, ''],
  [{ deleteBody: 'text' }, 200, 'deleted'],
  [{ deleteStatus: 204 }, 204, ''],
  [{ deleteStatus: 204, deleteBody: 'object' }, 204, ''],
])('with %j a delete is %i with the body "%s"', async (answers, status, text) => {
  await using service = await startWithMessage(answers);

  const deleted = await service.ask(`DELETE ${service.line}`);

  expect(deleted).toMatchObject({ status, text });
});

test('with deleteBody=object a delete answers with what was deleted', async () => {
  await using service = await startWithMessage({ deleteBody: 'object' });

  const message = await service.ask(`DELETE ${service.line}`);
  const conversation = await service.ask(`DELETE ${lisbon}`);

  expect(message.body).toEqual(service.sent.body);
  expect(conversation.body).toMatchObject({ id: LISBON });
});

test.each([
  ['reactions[heart][]=bob', [{ heart: ['ada', 'bob'] }, { party: ['ada'] }]],
  ['reactions[heart][]=ada', [{ heart: ['ada'] }, { party: ['ada'] }]],
  ['reactions[new][]=bob', [{ heart: ['ada'] }, { party: ['ada'] }, { new: ['bob'] }]],
  ['reactions[heart]=', [{ party: ['ada'] }]],
  ['reactions=', []],
])('with reactions=add, %s adds to what is there', async (form, reactions) => {
  await using service = await startWithMessage({ reactions: 'add' });
  await service.ask(
    `PUT ${service.line}`,
    'reactions[heart][]=ada&reactions[party][]=ada',
  );

  const { body } = await service.ask<Message>(`PUT ${service.line}`, form);

  expect(body.reactions).toEqual(reactions);
});

test('with jsonBodies=accept a JSON body says what a form would', async () => {
  await using service = await startWithMessage({ jsonBodies: 'accept' });
  const json = { type: 'application/json' };

  const message = await service.ask<Message>(
    `PUT ${service.line}`,
    '{"message":"b","reactions":{"heart":["ada"]},"attachments":[{"width":3,"alt":null}]}',
    json,
  );
  const conversation = await service.ask<Conversation>(
    `PUT ${lisbon}`,
    '{"is_muted":true,"archived_at":5,"pinned_message_id":null}',
    json,
  );

  expect(message.body).toMatchObject({
    message: 'b',
    reactions: [{ heart: ['ada'] }],
    attachments: [{ width: '3', alt: '' }],
  });
  expect(conversation.body).toMatchObject({
    is_muted: true,
    archived_at: 5,
    pinned_message_id: null,
  });
});

test.each(['{', '[]', '"text"', '{"is_muted":"maybe"}', '{"unknown":1}'])(
  'with jsonBodies=accept the JSON body %s is 400',
  async (json) => {
    await using service = await startAskedService({ jsonBodies: 'accept' });

    const { status } = await service.ask(`PUT ${lisbon}`, json, {
      type: 'application/json',
    });

    expect(status).toBe(400);
  },
);

test('with jsonBodies=accept a form is still a form, and other types are 415', async () => {
  await using service = await startAskedService({ jsonBodies: 'accept' });

  const form = await service.ask(`PUT ${lisbon}`, 'is_muted=true', { type: FORM });
  const text = await service.ask(`PUT ${lisbon}`, 'is_muted=true', {
    type: 'text/plain',
  });

  expect([form.status, text.status]).toEqual([200, 415]);
});

test.each<[Answers['bothIds'], number, object]>([
  ['group', 200, { contact_id: null, group_id: 'group_x' }],
  [
    'refuse',
    400,
    {
      error: {
        code: 'invalid_request',
        message: 'contact_id: does not go with group_id',
      },
    },
  ],
  ['both', 200, { contact_id: 'contact_x', group_id: 'group_x' }],
])('with bothIds=%s a contact and a group are %i', async (bothIds, status, body) => {
  await using service = await startAskedService({ bothIds });

  const made = await service.ask(
    'POST /v1/conversations',
    'contact_id=contact_x&group_id=group_x',
  );

  expect(made).toMatchObject({ status, body });
});

test.each<[Answers['errorFormat'], string | null, string]>([
  [
    'json',
    'application/json; charset=utf-8',
    '{"error":{"code":"not_found","message":"no message has the id \\"<b>\\""}}',
  ],
  [
    'problem',
    'application/problem+json; charset=utf-8',
    '{"type":"about:blank","title":"not_found","status":404,"detail":"no message has the id \\"<b>\\""}',
  ],
  ['text', 'text/plain; charset=utf-8', 'no message has the id "<b>"'],
  [
    'html',
    'text/html; charset=utf-8',
    '<!doctype html><title>404</title><p>no message has the id "&lt;b&gt;"</p>',
  ],
  ['empty', null, ''],
])('with errorFormat=%s an error is %s', async (errorFormat, type, text) => {
  await using service = await startAskedService({ errorFormat });

  const answer = await service.ask('GET /v1/messages/%3Cb%3E');

  expect(answer).toMatchObject({ status: 404, type, text });
});

test.each([
  'GET /nope',
  'GET /v1/messages/%zz',
  'POST /v1/messages',
  'GET /v1/messages?x=1',
])('errorFormat is the format of every error: %s', async (line) => {
  await using service = await startAskedService({ errorFormat: 'text' });
  const form = line.startsWith('POST') ? '{}' : undefined;

  const { type } = await service.ask(line, form, { type: 'application/json' });

  expect(type).toBe('text/plain; charset=utf-8');
});

test.each<[Answers['unknownId'], string]>(
  ([404, 410, 400] as const).flatMap((unknownId) => [
    [unknownId, 'GET /v1/messages/unknown'],
    [unknownId, 'GET /v1/conversations/unknown'],
    [unknownId, 'GET /v1/messages?conversation_id=unknown'],
    [unknownId, 'DELETE /v1/messages/unknown'],
  ]),
)('with unknownId=%i, %s is that', async (unknownId, line) => {
  await using service = await startAskedService({ unknownId });

  const { status, body } = await service.ask<ErrorBody>(line);

  expect(status).toBe(unknownId);
  expect(body.error.code).toBe('not_found');
});

test('with rateLimit a token has so many calls, and another token its own', async () => {
  await using service = await startAskedService({ rateLimit: 2 });

  const adas = [1, 2, 3, 4].map(() => service.ask(`GET ${lisbon}`));
  const statuses = (await Promise.all(adas)).map(({ status }) => status);
  const other = await service.ask('GET /v1/messages', undefined, GRACE);

  expect(statuses.toSorted()).toEqual([200, 200, 429, 429]);
  expect(other.status).toBe(200);
});

test('with rateLimit the next second is a new one', async () => {
  await using service = await startAskedService({ rateLimit: 1 });
  await service.ask(`GET ${lisbon}`);

  await new Promise((resolve) => setTimeout(resolve, 1010));

  expect((await service.ask(`GET ${lisbon}`)).status).toBe(200);
});

test.each<[Answers['retryAfter'], RegExp]>([
  ['none', /^absent$/],
  ['seconds', /^1$/],
  ['date', /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/],
])('with retryAfter=%s a 429 says so', async (retryAfter, expected) => {
  await using service = await startAskedService({ rateLimit: 1, retryAfter });
  await service.ask(`GET ${lisbon}`);

  const { status, headers } = await service.ask(`GET ${lisbon}`);

  expect(status).toBe(429);
  expect(headers.get('retry-after') ?? 'absent').toMatch(expected);
});

test.each<[Partial<Answers>, string, number]>([
  [{ maxMessageLength: 3 }, 'message=%F0%9F%8E%89ab', 200],
  [{ maxMessageLength: 3 }, 'message=abcd', 400],
  [{ maxMessageLength: 3, oversizeStatus: 422 }, 'message=abcd', 422],
  [{ maxAttachments: 1 }, 'message=a&attachments[]=x', 200],
  [{ maxAttachments: 1 }, 'message=a&attachments[]=x&attachments[]=y', 400],
  [
    { maxAttachments: 1, oversizeStatus: 422 },
    'message=a&attachments[]=x&attachments[]=y',
    422,
  ],
])('with %j, %s is %i when sent and when updated', async (answers, form, expected) => {
  await using service = await startAskedService(answers);
  const { body } = await service.ask<List<Message>>('GET /v1/messages?limit=1');

  const sent = await service.ask(
    'POST /v1/messages',
    `conversation_id=${LISBON}&${form}`,
  );
  const updated = await service.ask(`PUT /v1/messages/${body.data[0]?.id}`, form);

  expect([sent.status, updated.status]).toEqual([expected, expected]);
});

test('what is not told is as in DEFAULT_ANSWERS', async () => {
  await using told = await startAskedService(DEFAULT_ANSWERS);
  await using untold = await startAskedService();

  const [one, other] = await Promise.all(
    [told, untold].map(({ ask }) => ask('GET /v1/messages?limit=9999')),
  );

  expect(one?.text).toBe(other?.text);
});
