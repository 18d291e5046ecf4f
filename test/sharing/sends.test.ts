import { expect, test } from 'vitest';
import {
  ANSWER_LOST,
  type ChatOptions,
  createChat,
  REQUEST_LOST,
  sendAs,
} from '../support/chat.ts';
import { type FakeRedis, startFakeRedis } from '../support/fake-redis.ts';
import { startTestGateway } from '../support/gateway.ts';
import { readMetric } from '../support/metrics.ts';
import { subscribe } from '../support/subscribe.ts';
import { startUpstream } from '../support/upstream.ts';

/** A service, a Redis and two replicas. */
async function startReplicas(options: ChatOptions = {}, timeoutMs = '30000') {
  const started = new AsyncDisposableStack();
  const chat = createChat(options);
  const redis = started.use(await startFakeRedis());
  const service = started.use(await startUpstream(chat.respond));
  const start = async () => {
    const env = {
      REDIS_URL: redis.url,
      FORWARD_HEADERS: 'X-Org',
      LIVE_POLL_MS: '100000',
      OPERATION_TIMEOUT_MS: timeoutMs,
    };
    const gateway = started.use(await startTestGateway(service.url, env));
    const isConnected = async () =>
      (await readMetric(gateway, 'gateway_redis_connected'))[''];
    await expect.poll(isConnected).toBe(1);
    const ask = (key: string, text = 'hi', token = 'ann-token', headers = {}) =>
      gateway.ask(sendAs(key, text), { token, headers });
    const send = async (...message: Parameters<typeof ask>) => {
      const { data, errors } = await ask(...message);
      return data.sendMessage?.message.id ?? errors?.[0]?.extensions;
    };
    return { url: gateway.url, ask, send };
  };
  const [a, b] = [await start(), await start()];
  return {
    a,
    b,
    chat,
    redis,
    service,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Waits until a replica has a turn, and returns its name. */
async function turnIn({ texts }: FakeRedis): Promise<string> {
  const find = () => [...texts.keys()].find((name) => name.endsWith(':turn'));
  await expect.poll(find).toBeDefined();
  return find() ?? '';
}

test('a message is sent once, if it is asked for at two replicas at once, and later', async () => {
  await using replicas = await startReplicas({ delayMs: 100 });
  const { a, b, chat, service } = replicas;

  const ids = await Promise.all([a.send('k'), b.send('k'), a.send('k'), b.send('k')]);
  const other = await b.send('k', 'hi', 'bob-token');
  const ofOrg = await b.send('k', 'hi', 'ann-token', { 'x-org': 'a' });

  expect(new Set(ids)).toEqual(new Set(['m12']));
  expect([other, ofOrg]).toEqual(['m13', 'm14']);
  expect(chat.texts()).toEqual(['hi', 'hi', 'hi']);
  expect(service.lines().toSorted()).toEqual([
    'GET /v1/messages/m12',
    'POST /v1/messages',
    'POST /v1/messages',
    'POST /v1/messages',
  ]);
});

test('other content is refused at another replica, also while the first is under way', async () => {
  await using replicas = await startReplicas({ delayMs: 300 });
  const { a, b, service } = replicas;
  const first = a.send('k');
  await expect.poll(() => service.calls.length).toBe(1);

  expect(await b.send('k', 'ho')).toEqual({ code: 'BAD_USER_INPUT' });
  expect(await first).toBe('m12');
  expect(await b.send('k', 'ho')).toEqual({ code: 'BAD_USER_INPUT' });
  expect(service.lines()).toEqual(['POST /v1/messages']);
});

test.each([
  ['found', ANSWER_LOST, 1],
  ['sent again', REQUEST_LOST, 2],
])('what another replica has sent without an answer is %s', async (_, fault, posts) => {
  await using replicas = await startReplicas({ faults: [fault] });
  const { a, b, chat, service } = replicas;

  const first = await a.send('k');
  const ids = [await b.send('k'), await a.send('k')];

  if (fault === REQUEST_LOST) expect(first.outcome).toBe('unknown');
  expect(new Set(ids)).toEqual(new Set(['m12']));
  expect(chat.texts()).toEqual(['hi']);
  expect(service.lines().filter((line) => line.startsWith('POST'))).toHaveLength(posts);
});

test('what a replica that has ended left open is looked for', async () => {
  await using replicas = await startReplicas();
  const { a, b, chat, redis } = replicas;
  await a.send('k');
  const isTurn = (name: string) => name.endsWith(':turn');
  const isId = (name: string) => redis.texts.get(name) === 'k';
  // As it ends between the write and its answer.
  for (const [name, text] of redis.texts) {
    const { content } = isId(name) || isTurn(name) ? {} : JSON.parse(text);
    if (content) redis.texts.set(name, JSON.stringify({ content }));
    else redis.texts.delete(name);
  }

  expect(await b.send('k')).toBe('m12');
  expect(chat.texts()).toEqual(['hi']);
});

test('who waits for another replica until the time is up is told to ask again with the same key', async () => {
  await using replicas = await startReplicas({ delayMs: 100 }, '1000');
  const { a, b, redis } = replicas;
  const sent = a.send('k');
  const turn = await turnIn(redis);
  await sent;
  await expect.poll(() => redis.texts.size).toBe(2);
  redis.texts.clear();
  redis.texts.set(turn, 'of another');

  const { errors } = await b.ask('k');

  expect(errors?.[0]?.extensions.outcome).toBe('unknown');
  expect(errors?.[0]?.message).toContain('again with the same `clientMutationId`');
});

test('a replica leaves the turn of another one alone, if its own was over', async () => {
  await using replicas = await startReplicas({ delayMs: 100 });
  const { a, redis } = replicas;
  const sent = a.send('k');
  const turn = await turnIn(redis);
  redis.texts.set(turn, 'of another');

  expect(await sent).toBe('m12');
  expect(await a.send('other')).toBe('m13');
  expect(redis.texts.get(turn)).toBe('of another');
});

test('what another replica has sent is not overwritten, if Redis does not say what it has', async () => {
  await using replicas = await startReplicas();
  const { a, b, redis, service } = replicas;
  await a.send('k');
  await expect.poll(() => redis.texts.size).toBe(2);
  const before = new Map(redis.texts);
  redis.replies.set('GET', '-LOADING Redis is loading\r\n');

  expect(await b.send('k')).toBe('m12');
  expect(new Map([...redis.texts].filter(([name]) => before.has(name)))).toEqual(before);
  expect(service.lines().filter((line) => line.startsWith('POST'))).toHaveLength(1);
});

test('a refusal at one replica lets the other send', async () => {
  const refused = { isStored: false, answer: { status: 422 } };
  await using replicas = await startReplicas({ faults: [refused] });
  const { a, b } = replicas;

  expect(await a.send('k')).toMatchObject({ code: 'BAD_USER_INPUT' });
  expect(await b.send('k', 'better')).toBe('m12');
});

test('an event of another replica carries the key to the sender', async () => {
  await using replicas = await startReplicas();
  const { a, b } = replicas;
  const query =
    'subscription { messageChanged(conversationId: "c1") { clientMutationId } }';
  await using own = await subscribe(b.url, query);
  await using other = await subscribe(b.url, query, { token: 'bob-token' });

  await a.send('k');

  expect((await own.next())?.data.messageChanged).toEqual({ clientMutationId: 'k' });
  expect((await other.next())?.data.messageChanged).toEqual({ clientMutationId: null });
});

test.each(['is away', 'hangs'])(
  'each replica sends once by itself if Redis %s',
  async (how) => {
    await using replicas = await startReplicas({ faults: [ANSWER_LOST] });
    const { a, b, chat, redis } = replicas;
    if (how === 'hangs') redis.hang();
    else await redis.stop();

    expect([await a.send('k'), await a.send('k')]).toEqual(['m12', 'm12']);
    expect(await b.send('k')).toBe('m13');
    expect(chat.texts()).toEqual(['hi', 'hi']);
  },
);

// security: keys-in-redis
test('Redis gets neither tokens nor texts', async () => {
  await using replicas = await startReplicas();
  const { a, redis } = replicas;

  await a.send('k', 'a secret text');

  await expect.poll(() => redis.texts.size).toBe(2);
  const all = JSON.stringify([...redis.texts, redis.commands]);
  expect(all).not.toContain('ann-token');
  expect(all).not.toContain('secret');
});
