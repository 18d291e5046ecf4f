import { describe, expect, test } from 'vitest';
import { startFakeRedis } from '../support/fake-redis.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { startLiveWorld } from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { type Subscription, subscribe } from '../support/subscribe.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

/** Regular looks come so late that a test never sees one. */
const NO_POLLS = { LIVE_POLL_MS: '100000000' };
const INBOX =
  'subscription { conversationChanged { kind conversationId conversation { lastActiveAt } } }';
/** A conversation of both sample users. */
const SHARED = 'conv_ada_grace';
const SEND = `mutation { sendMessage(input: { conversationId: "${SHARED}", message: "m" }) { message { id } } }`;
const DELETE = 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';

const nextEvent = async (live: Subscription) => {
  const { kind, conversationId } = (await live.next())?.data.conversationChanged ?? {};
  return `${kind} ${conversationId}`;
};

/** A service in which nothing about a conversation shows that its messages change, as if all happened within one second. */
function startSecondsService(answers: Record<string, unknown> = {}) {
  return startUpstream({
    'GET /v1/conversations': wirePage([wireConversation('c0'), wireConversation('c1')]),
    'GET /v1/messages': wirePage([wireMessage('m1')]),
    'GET /v1/messages/m1': wireMessage('m1'),
    'POST /v1/messages': wireMessage('m2'),
    'PUT /v1/messages/m1': wireMessage('m1'),
    'DELETE /v1/messages/m1': '',
    ...answers,
  });
}

test('two inboxes are told of three messages within a second, of an edit, and of a deletion', async () => {
  await using world = await startLiveWorld({}, NO_POLLS);
  const { url } = world.gateway;
  const [ada, grace] = world.service.sampleUsers.map(({ token }) => token);
  await using own = await subscribe(url, INBOX, { token: ada ?? null });
  await using other = await subscribe(url, INBOX, { token: grace ?? null });
  const changed = `UPDATED ${SHARED}`;
  const both = async () => [await nextEvent(own), await nextEvent(other)];
  let id = '';
  for (let sent = 0; sent < 3; sent += 1) {
    id = (await world.ask(SEND)).data.sendMessage.message.id;
    expect(await both()).toEqual([changed, changed]);
  }
  await world.ask(
    `mutation { updateMessage(input: { id: "${id}", message: "x" }) { message { id } } }`,
  );
  expect(await both()).toEqual([changed, changed]);
  await world.ask(
    `mutation { deleteMessage(input: { id: "${id}" }) { deletedMessageId } }`,
  );

  expect(await both()).toEqual([changed, changed]);
  expect([own.results.length, other.results.length]).toEqual([5, 5]);
});

describe('the conversation of a deleted message', () => {
  const deletion = async (gateway: TestGateway, live: Subscription) => {
    await gateway.ask(DELETE, { token: 'ben' });
    return nextEvent(live);
  };

  test('is known without a call if somebody watches its messages', async () => {
    await using upstream = await startSecondsService();
    await using gateway = await startTestGateway(upstream.url, NO_POLLS);
    await using live = await subscribe(gateway.url, INBOX);
    const messages = 'subscription { messageChanged(conversationId: "c1") { kind } }';
    await using _messages = await subscribe(gateway.url, messages, { token: 'cat' });

    expect(await deletion(gateway, live)).toBe('UPDATED c1');
    expect(upstream.lines()).not.toContain('GET /v1/messages/m1');
  });

  test('is read before the deletion if it is not known, with the token of who deletes', async () => {
    await using upstream = await startSecondsService();
    await using gateway = await startTestGateway(upstream.url, NO_POLLS);
    await using live = await subscribe(gateway.url, INBOX);

    expect(await deletion(gateway, live)).toBe('UPDATED c1');
    expect(upstream.calls.slice(1, 3)).toMatchObject([
      { line: 'GET /v1/messages/m1', token: 'Bearer ben' },
      { line: 'DELETE /v1/messages/m1', token: 'Bearer ben' },
    ]);
  });

  test.each([
    ['nobody watches conversations', {}, 1],
    ['the operation may make no call more', { MAX_REST_CALLS: '1' }, 1],
    ['subscriptions are off', { LIVE: 'false', REDIS_URL: 'redis://127.0.0.1:1' }, 1],
    ['other processes may watch them', { REDIS_URL: 'redis://127.0.0.1:1' }, 2],
  ])('is read or not: %s', async (what, env, calls) => {
    await using upstream = await startSecondsService();
    await using gateway = await startTestGateway(upstream.url, { ...NO_POLLS, ...env });
    await using _live =
      what === 'the operation may make no call more'
        ? await subscribe(gateway.url, INBOX)
        : null;
    const { errors } = await gateway.ask(DELETE, { token: 'ben' });

    expect(errors).toBeUndefined();
    const own = upstream.calls.filter(({ token }) => token === 'Bearer ben');
    expect(own).toHaveLength(calls);
  });

  test('need not be readable: the message is deleted all the same', async () => {
    await using upstream = await startSecondsService({
      'GET /v1/messages/m1': answering({ status: 403 }),
    });
    await using gateway = await startTestGateway(upstream.url, NO_POLLS);
    await using _live = await subscribe(gateway.url, INBOX);
    const { data, errors } = await gateway.ask(DELETE, { token: 'ben' });

    expect([data.deleteMessage.deletedMessageId, errors]).toEqual(['m1', undefined]);
  });
});

test.each([
  ['failed tells nothing', 422, []],
  ['may have been carried out is told', 503, ['UPDATED c1']],
])('a write that %s', async (_what, status, expected) => {
  await using upstream = await startSecondsService({
    'POST /v1/messages': [answering({ status }), wireMessage('m2')],
  });
  await using gateway = await startTestGateway(upstream.url, {
    ...NO_POLLS,
    REST_RETRIES: '0',
  });
  await using live = await subscribe(gateway.url, INBOX);
  const send = (id: string) =>
    `mutation { sendMessage(input: { conversationId: "${id}", message: "m" }) { message { id } } }`;
  await gateway.ask(send('c1'), { token: 'ben' });
  for (const event of expected) expect(await nextEvent(live)).toBe(event);
  // Whatever comes next shows that nothing came before it.
  await gateway.ask(send('c1'), { token: 'ben' });

  expect(await nextEvent(live)).toBe('UPDATED c1');
  expect(live.results).toHaveLength(expected.length + 1);
});

test('an inbox at another replica is told of what is sent, edited and deleted here', async () => {
  await using redis = await startFakeRedis();
  await using upstream = await startSecondsService();
  const env = { ...NO_POLLS, REDIS_URL: redis.url };
  await using one = await startTestGateway(upstream.url, env);
  await using other = await startTestGateway(upstream.url, env);
  for (const { url } of [one, other])
    await expect
      .poll(async () => (await readMetric({ url }, 'gateway_redis_connected'))[''])
      .toBe(1);
  await using live = await subscribe(other.url, INBOX);
  const writes = [
    'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }',
    'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }',
    DELETE,
  ];
  for (const write of writes) {
    await one.ask(write, { token: 'ben' });
    expect(await nextEvent(live)).toBe('UPDATED c1');
  }

  expect(live.results).toHaveLength(3);
  expect(redis.commands.join()).not.toContain('ben');
});
