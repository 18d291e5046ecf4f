import { describe, expect, test } from 'vitest';
import { startFakeRedis } from '../support/fake-redis.ts';
import { startScripted, startTestGateway } from '../support/gateway.ts';
import { NO_POLLS, SEND } from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { type Subscription, subscribe } from '../support/subscribe.ts';
import { answering } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const INBOX =
  'subscription { conversationChanged { kind conversationId conversation { lastActiveAt } } }';
const DELETE = 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';
const WRITES = [
  SEND,
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }',
  DELETE,
];

const nextEvent = async (live: Subscription) => {
  const { kind, conversationId } = (await live.next())?.data.conversationChanged ?? {};
  return `${kind} ${conversationId}`;
};

/** A service in which nothing about a conversation shows that its messages change, as if all happened within one second. */
const SECONDS_SERVICE = {
  'GET /v1/conversations': wirePage([wireConversation('c0'), wireConversation('c1')]),
  'GET /v1/messages': wirePage([wireMessage('m1')]),
  'GET /v1/messages/m1': wireMessage('m1'),
  'POST /v1/messages': wireMessage('m2'),
  'PUT /v1/messages/m1': wireMessage('m1'),
  'DELETE /v1/messages/m1': '',
};
const start = (env: Record<string, string> = {}, answers: Record<string, unknown> = {}) =>
  startScripted({ ...SECONDS_SERVICE, ...answers }, { ...NO_POLLS, ...env });

test('inboxes here and at another replica are told of three messages within a second, of an edit, and of a deletion', async () => {
  await using redis = await startFakeRedis();
  await using one = await start({ REDIS_URL: redis.url });
  await using other = await startTestGateway(one.service.url, {
    ...NO_POLLS,
    REDIS_URL: redis.url,
  });
  for (const { url } of [one, other])
    await expect
      .poll(async () => (await readMetric({ url }, 'gateway_redis_connected'))[''])
      .toBe(1);
  await using own = await subscribe(one.url, INBOX, { token: 'ben' });
  await using far = await subscribe(other.url, INBOX);

  for (const write of [SEND, SEND, ...WRITES]) {
    await one.ask(write, { token: 'ben' });
    expect([await nextEvent(own), await nextEvent(far)]).toEqual([
      'UPDATED c1',
      'UPDATED c1',
    ]);
  }

  expect([own.results.length, far.results.length]).toEqual([5, 5]);
  expect(redis.commands.join()).not.toContain('ben');
});

describe('the conversation of a deleted message', () => {
  test('is known without a call if somebody watches its messages', async () => {
    await using gateway = await start();
    await using live = await subscribe(gateway.url, INBOX);
    const messages = 'subscription { messageChanged(conversationId: "c1") { kind } }';
    await using _messages = await subscribe(gateway.url, messages, { token: 'cat' });

    await gateway.ask(DELETE, { token: 'ben' });

    expect(await nextEvent(live)).toBe('UPDATED c1');
    expect(gateway.service.lines()).not.toContain('GET /v1/messages/m1');
  });

  test('is read before the deletion if it is not known, with the token of who deletes', async () => {
    await using gateway = await start();
    await using live = await subscribe(gateway.url, INBOX);

    await gateway.ask(DELETE, { token: 'ben' });

    expect(await nextEvent(live)).toBe('UPDATED c1');
    expect(gateway.service.calls.slice(1, 3)).toMatchObject([
      { line: 'GET /v1/messages/m1', token: 'Bearer ben' },
      { line: 'DELETE /v1/messages/m1', token: 'Bearer ben' },
    ]);
  });

  const REDIS_URL = 'redis://127.0.0.1:1';

  test.each([
    ['nobody watches conversations', false, {}, 1],
    ['the operation may make no call more', true, { MAX_REST_CALLS: '1' }, 1],
    ['subscriptions are off', false, { LIVE: 'false', REDIS_URL }, 1],
    ['other processes may watch them', false, { REDIS_URL }, 2],
    ['it cannot be read, and the message is deleted all the same', true, {}, 2],
  ])('is read or not: %s', async (what, isWatched, env, calls) => {
    await using gateway = await start(
      env,
      what.startsWith('it cannot')
        ? { 'GET /v1/messages/m1': answering({ status: 403 }) }
        : {},
    );
    await using _live = isWatched ? await subscribe(gateway.url, INBOX) : null;

    const { data, errors } = await gateway.ask(DELETE, { token: 'ben' });

    expect(errors).toBeUndefined();
    expect(data.deleteMessage.deletedMessageId).toBe('m1');
    const own = gateway.service.calls.filter(({ token }) => token === 'Bearer ben');
    expect(own).toHaveLength(calls);
  });
});

test.each([
  ['failed tells nothing', 422, []],
  ['may have been carried out is told', 503, ['UPDATED c1']],
])('a write that %s', async (_, status, expected) => {
  await using gateway = await start(
    { REST_RETRIES: '0' },
    { 'POST /v1/messages': [answering({ status }), wireMessage('m2')] },
  );
  await using live = await subscribe(gateway.url, INBOX);

  await gateway.ask(SEND, { token: 'ben' });
  for (const event of expected) expect(await nextEvent(live)).toBe(event);
  // Whatever comes next shows that nothing came before it.
  await gateway.ask(SEND, { token: 'ben' });

  expect(await nextEvent(live)).toBe('UPDATED c1');
  expect(live.results).toHaveLength(expected.length + 1);
});
