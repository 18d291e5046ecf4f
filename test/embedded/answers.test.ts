import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import type { ListBody } from '../../src/embedded/paging.ts';
import type { Message } from '../../src/embedded/resources.ts';
import {
  FORM,
  LISBON,
  LISBON_PATH,
  startTestService,
  startWithMessage,
} from './service.ts';

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
])('with attachments=%s all samples have that shape', async (attachments, hasShape) => {
  await using service = await startTestService({ attachments });

  const { body } = await service.ask<ListBody<Message>>('GET /v1/messages?limit=9999');

  const all = body.data.flatMap((message) => message.attachments as object[]);
  expect(all.length).toBeGreaterThan(50);
  expect(all.filter((attachment) => !hasShape(attachment))).toEqual([]);
});

const frozen = { archived: 'frozen' } as const;
const json = { jsonBodies: 'accept' } as const;
const SENDING = `POST /v1/messages conversation_id=${LISBON}&`;
const JSON_TYPE = 'application/json';

/** Each is asked when the conversation is archived, and `MESSAGE` is a message in it. */
test.each<[Partial<Answers>, line: string, status: number, type?: string]>([
  [{}, `${SENDING}message=hi`, 200],
  [{}, `PUT ${LISBON_PATH} {}`, 415, JSON_TYPE],
  [{}, `PUT ${LISBON_PATH} {}`, 415, 'nonsense'],
  [frozen, `${SENDING}message=hi`, 409],
  [frozen, `PUT ${LISBON_PATH} is_muted=true`, 409],
  [frozen, `PUT ${LISBON_PATH} archived_at=`, 200],
  [json, `PUT ${LISBON_PATH} {`, 400, JSON_TYPE],
  [json, `PUT ${LISBON_PATH} []`, 400, JSON_TYPE],
  [json, `PUT ${LISBON_PATH} {"is_muted":"maybe"}`, 400, JSON_TYPE],
  [json, `PUT ${LISBON_PATH} is_muted=true`, 200, FORM],
  [json, `PUT ${LISBON_PATH} is_muted=true`, 415, 'text/plain'],
  [{ reactionNames: ['👍'] }, 'PUT MESSAGE reactions[%F0%9F%91%8D][]=ada', 200],
  [{ reactionNames: ['👍'] }, 'PUT MESSAGE reactions[heart][]=ada', 400],
  [{ maxMessageLength: 3 }, `${SENDING}message=%F0%9F%8E%89ab`, 200],
  [{ maxMessageLength: 3 }, `${SENDING}message=abcd`, 400],
  [{ maxMessageLength: 3, oversizeStatus: 422 }, 'PUT MESSAGE message=abcd', 422],
  [{ maxAttachments: 1 }, 'PUT MESSAGE attachments[]=x', 200],
  [{ maxAttachments: 1 }, 'PUT MESSAGE attachments[]=x&attachments[]=y', 400],
])('with %j, %s gets %i', async (answers, line, expected, type = FORM) => {
  await using service = await startWithMessage(answers);
  const [method, path, form] = line.replace('MESSAGE', service.path).split(' ');
  await service.ask(`PUT ${LISBON_PATH}`, 'archived_at=1772357400');

  const { status } = await service.ask(`${method} ${path}`, form, { type });

  expect(status).toBe(expected);
});

test('with jsonBodies=accept a JSON body is read like the equivalent form', async () => {
  await using service = await startWithMessage({ jsonBodies: 'accept' });
  const put = async (path: string, fields: object) =>
    (await service.ask(`PUT ${path}`, JSON.stringify(fields), { type: JSON_TYPE })).body;
  const message = { message: 'b', reactions: { heart: ['ada'] } };
  const flags = { is_muted: true, archived_at: 5, pinned_message_id: null };

  expect(
    await put(service.path, { ...message, attachments: [{ width: 3, alt: null }] }),
  ).toMatchObject({
    message: 'b',
    reactions: [{ heart: ['ada'] }],
    attachments: [{ width: '3', alt: '' }],
  });
  expect(await put(LISBON_PATH, flags)).toMatchObject(flags);
});

test('with failures=30, three of ten calls are answered 503, and do nothing', async () => {
  await using service = await startTestService({ failures: 30 });

  const statuses: number[] = [];
  for (let call = 0; call < 20; call += 1) {
    const form = `conversation_id=${LISBON}&message=sent`;
    statuses.push((await service.ask('POST /v1/messages', form)).status);
  }

  expect(statuses.filter((status) => status === 503)).toHaveLength(6);
  const lists = await Promise.all(
    [1, 2].map(() => service.ask<ListBody<Message>>('GET /v1/messages?limit=100')),
  );
  const list = lists.find(({ status }) => status === 200);
  expect(list?.body.data.filter(({ message }) => message === 'sent')).toHaveLength(14);
});

test('with latency=50, an answer takes that long', async () => {
  await using service = await startTestService({ latency: 50 });
  const began = performance.now();

  const { status } = await service.ask('GET /v1/messages');

  expect(status).toBe(200);
  // Node's timers are early by up to a millisecond.
  expect(performance.now() - began).toBeGreaterThan(48);
});
