import { describe, expect, test } from 'vitest';
import { askOnce } from '../support/ask-once.ts';
import { codes, startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage } from '../support/wire.ts';

const READ = '{ message(id: "m1") { id } }';
const LIST = '{ messages { nodes { id } } }';
const WRITE =
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';
const DELETE = 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';
const NODE_ID = Buffer.from('Message:m1').toString('base64url');

describe('a status of the service', () => {
  const body = { error: { message: 'because' } };

  test.each([
    [READ, 400, 'BAD_USER_INPUT'],
    [READ, 401, 'UNAUTHENTICATED'],
    [READ, 403, 'FORBIDDEN'],
    [READ, 409, 'CONFLICT'],
    [READ, 418, 'UPSTREAM_ERROR'],
    [READ, 422, 'BAD_USER_INPUT'],
    [READ, 429, 'RATE_LIMITED'],
    [LIST, 404, 'UPSTREAM_ERROR'],
    [LIST, 410, 'UPSTREAM_ERROR'],
    [WRITE, 404, 'NOT_FOUND'],
    [WRITE, 410, 'NOT_FOUND'],
    [DELETE, 404, 'NOT_FOUND'],
    [WRITE, 409, 'CONFLICT'],
    [WRITE, 422, 'BAD_USER_INPUT'],
  ])('%s answered %i is %s with the body of the answer', async (query, status, code) => {
    const answer = await askOnce(query, { status, body });

    expect(answer.status).toBe(200);
    expect(Object.values(answer.data)).toEqual([null]);
    expect(answer.errors).toHaveLength(1);
    expect(answer.error?.extensions).toEqual({ code, upstream: { status, body } });
    expect(answer.error?.path).toHaveLength(1);
  });

  test.each([
    [READ, 301],
    [READ, 302],
    [READ, 304],
    [READ, 500],
    [READ, 503],
    [LIST, 502],
  ])('%s answered %i is UPSTREAM_ERROR without a body', async (query, status) => {
    const headers = { location: '/elsewhere' };

    const { error } = await askOnce(query, { status, headers });

    expect(error?.extensions).toEqual({ code: 'UPSTREAM_ERROR', upstream: { status } });
  });

  test.each([
    [READ],
    ['{ conversation(id: "c1") { id } }'],
    ['{ messages(conversationId: "c1") { nodes { id } } }'],
    ['{ messages(conversationId: "c1", last: 3) { nodes { id } } }'],
    ['{ conversations(groupId: "g1") { nodes { id } } }'],
    [`{ node(nodeId: "${NODE_ID}") { nodeId } }`],
  ])('%s of an unknown id is null without an error', async (query) => {
    for (const status of [404, 410]) {
      const { data, errors } = await askOnce(query, { status, body: 'no such thing' });

      expect(errors).toBeUndefined();
      expect(Object.values(data)).toEqual([null]);
    }
  });

  test('404 for a link or for the messages of a conversation is null without an error', async () => {
    await using upstream = await startUpstream({
      'GET /v1/conversations/c1': wireConversation('c1', { pinned_message_id: 'm9' }),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(
      '{ conversation(id: "c1") { id pinnedMessage { message } messages { nodes { id } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.conversation).toEqual({ id: 'c1', pinnedMessage: null, messages: null });
  });

  test.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': new Date(0).toUTCString() }, 0],
    [{ 'retry-after': '3.5' }, 4],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': '2026-01-01' }, undefined],
    [{}, undefined],
  ])('429 with the headers %j has retryAfterSeconds %s', async (headers, seconds) => {
    const { error } = await askOnce(READ, { status: 429, headers });

    expect(error?.extensions.code).toBe('RATE_LIMITED');
    expect(error?.extensions.retryAfterSeconds).toBe(seconds);
  });

  test('429 with a Retry-After date in the future has the seconds until then', async () => {
    const headers = { 'retry-after': new Date(Date.now() + 90_000).toUTCString() };

    const { error } = await askOnce(READ, { status: 429, headers });

    const seconds = error?.extensions.retryAfterSeconds;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(91);
  });

  test.each([[200], [201], [202], [203], [206], [299]])(
    '%i is success',
    async (status) => {
      const { data, errors } = await askOnce(WRITE, { status, body: wireMessage('m1') });

      expect(errors).toBeUndefined();
      expect(data.updateMessage.message.id).toBe('m1');
    },
  );

  test.each([
    ['nothing', { status: 200 }],
    ['204', { status: 204 }],
    ['the object', { status: 200, body: wireMessage('m1') }],
    ['a flag', { status: 200, body: { deleted: true } }],
    ['text', { status: 202, body: 'gone <b>now</b>' }],
  ])('2xx to a delete is success, whatever the body: %s', async (_what, given) => {
    const { data, errors } = await askOnce(DELETE, given);

    expect(errors).toBeUndefined();
    expect(data.deleteMessage.deletedMessageId).toBe('m1');
  });
});

test.each([
  ['JSON of another shape', '["no",1]', ['no', 1]],
  ['text', 'just no', 'just no'],
  ['HTML', '<h1>No</h1>', '<h1>No</h1>'],
  ['nothing', '', null],
  ['JSON cut short', '{"a":', '{"a":'],
  [
    'text, cut to 4 KiB between two characters',
    `x${'é'.repeat(5000)}`,
    `x${'é'.repeat(2047)}`,
  ],
])('upstream.body is what the service said: %s', async (_what, body, expected) => {
  const { error } = await askOnce(READ, { status: 403, body });

  expect(error?.extensions.upstream).toEqual({ status: 403, body: expected });
});

describe('no answer of the service', () => {
  test.each([
    ['slower than REST_TIMEOUT_MS', { delayMs: 3000 }, 'UPSTREAM_TIMEOUT'],
    ['connection lost before the head', { broken: 'before' }, 'UPSTREAM_UNREACHABLE'],
    ['connection lost in the body', { broken: 'within' }, 'UPSTREAM_UNREACHABLE'],
  ] as const)(
    'is an error, which leaves the outcome of a write unknown: %s',
    async (_what, how, code) => {
      const given = { body: wireMessage('m1'), ...how };
      const env = 'delayMs' in how ? { REST_TIMEOUT_MS: '50' } : {};

      const read = await askOnce(READ, given, { env });
      const written = await askOnce(WRITE, given, { env });

      expect(read.error?.extensions).toEqual({ code });
      expect(written.error?.extensions).toEqual({ code, outcome: 'unknown' });
    },
  );

  test('is an error with a known outcome if nothing listens there', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');

    for (const query of [READ, WRITE]) {
      const { errors } = await gateway.ask(query);

      expect(errors?.map(({ extensions }) => extensions)).toEqual([
        { code: 'UPSTREAM_UNREACHABLE' },
      ]);
    }
  });

  test('within OPERATION_TIMEOUT_MS is UPSTREAM_TIMEOUT, only for the fields that wait', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/messages/m2': answering({ delayMs: 60_000 }),
    });
    await using gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '3000',
    });

    const answer = await gateway.ask(
      '{ a: message(id: "m1") { id } b: message(id: "m2") { id } }',
    );

    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ a: { id: 'm1' }, b: null });
    expect(codes(answer)).toEqual({ b: 'UPSTREAM_TIMEOUT' });
  });
});

test.each([
  ['500', 'unknown', { status: 500 }],
  ['502', 'unknown', { status: 502 }],
  ['303', 'unknown', { status: 303, headers: { location: '/v1/messages/m1' } }],
  ['text', 'unknown', { status: 200, body: 'oops' }],
  ['an object that is not a message', 'unknown', { status: 200, body: { id: 'm1' } }],
  ['400', 'known', { status: 400 }],
  ['401', 'known', { status: 401 }],
  ['404', 'known', { status: 404 }],
  ['409', 'known', { status: 409 }],
  ['429', 'known', { status: 429 }],
])(
  'a write answered with %s is sent once, and its outcome is %s',
  async (_, outcome, given) => {
    const { error, calls } = await askOnce(WRITE, given, { env: { REST_RETRIES: '2' } });

    expect(error?.extensions.code).toBeDefined();
    expect(error?.extensions.outcome).toBe(outcome === 'known' ? undefined : 'unknown');
    expect(calls).toEqual(['PUT /v1/messages/m1']);
  },
);

describe('a read that fails', () => {
  test.each([
    ['503', answering({ status: 503 })],
    ['502', answering({ status: 502 })],
    ['504', answering({ status: 504 })],
    ['a lost connection', answering({ broken: 'before' })],
    ['half an answer', answering({ broken: 'within', body: '{"id":' })],
  ])('is retried up to REST_RETRIES times: %s', async (_what, failure) => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': [failure, failure, wireMessage('m1')],
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(READ);

    expect(errors).toBeUndefined();
    expect(data.message.id).toBe('m1');
    expect(upstream.calls).toHaveLength(3);
  });

  test('still after REST_RETRIES retries is given up', async () => {
    const answer = await askOnce(READ, { status: 503 }, { env: { REST_RETRIES: '1' } });

    expect(codes(answer)).toEqual({ message: 'UPSTREAM_ERROR' });
    expect(answer.calls).toHaveLength(2);
  });
});
