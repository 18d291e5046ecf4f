import { expect, test } from 'vitest';
import { startFakeRedis } from '../support/fake-redis.ts';
import { startScripted, startTestGateway } from '../support/gateway.ts';
import { growingList, NO_POLLS, SEND } from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { askByHash, register, sha256 } from '../support/persisted.ts';
import { subscribe } from '../support/subscribe.ts';
import { type Script, startUpstream } from '../support/upstream.ts';

const READ = '{ message(id: "m1") { message } }';
const ANSWER = { message: { message: 'text m1' } };
const MISS = 'PERSISTED_QUERY_NOT_FOUND';

const isConnected = async (gateway: { url: string }) =>
  (await readMetric(gateway, 'gateway_redis_connected'))[''] === 1;

/** A Redis and a service, by default with the message m1; and a gateway before both, which is connected to Redis. */
async function startReplica(script?: Script) {
  const started = new AsyncDisposableStack();
  const redis = started.use(await startFakeRedis());
  const upstream = started.use(await startUpstream(script));
  const env = { ...NO_POLLS, REDIS_URL: redis.url };
  const connect = async () => {
    const gateway = started.use(await startTestGateway(upstream.url, env));
    await expect.poll(() => isConnected(gateway)).toBe(true);
    return gateway;
  };
  const { url, ask } = await connect();
  /** `connect` starts another replica. */
  return {
    redis,
    connect,
    url,
    ask,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

// security: text-in-redis
test('a text that does not have the hash is not taken from Redis', async () => {
  await using gateway = await startReplica();
  const { redis } = gateway;
  redis.texts.set(`messaging-graphql:operation:${sha256(READ)}`, '{ __typename }');

  const { errors } = await askByHash(gateway.url, sha256(READ));

  expect(errors?.[0]?.extensions.code).toBe(MISS);
});

// security: strange-hashes
test('what is not a hash never reaches Redis', async () => {
  await using gateway = await startReplica();
  const { redis } = gateway;

  for (const hash of ['', '*', 'a\r\nFLUSHALL\r\n', 'x'.repeat(100_000)]) {
    const { errors } = await askByHash(gateway.url, hash);
    expect(errors?.[0]?.extensions.code).toBe(MISS);
  }

  expect(redis.commands.filter((command) => !command.startsWith('SUB'))).toEqual([]);
});

// security: endless-registration
test('clients cannot fill Redis: a long operation stays where it was registered', async () => {
  await using gateway = await startReplica();
  const { redis } = gateway;
  const long = `${READ} # ${'x'.repeat(70_000)}`;

  await register(gateway.url, long);
  await register(gateway.url, READ);
  await expect.poll(() => redis.texts.size).toBe(1);
  const { data } = await askByHash(gateway.url, sha256(long));

  expect([...redis.texts.values()]).toEqual([READ]);
  expect(data).toEqual(ANSWER);
});

test('without a Redis at the start, the gateway starts and answers', async () => {
  await using redis = await startFakeRedis();
  await redis.stop();
  await using gateway = await startScripted(undefined, { REDIS_URL: redis.url });

  const unknown = await askByHash(gateway.url, sha256(READ));
  const registered = await register(gateway.url, READ);
  const known = await askByHash(gateway.url, sha256(READ));

  expect(unknown.errors?.[0]?.extensions.code).toBe(MISS);
  expect([registered.data, known.data]).toEqual([ANSWER, ANSWER]);
});

// security: redis-away
test('a Redis that goes away costs hits and no answers, and is used when it is back', async () => {
  await using one = await startReplica();
  const { redis } = one;
  const other = await one.connect();
  await redis.stop();
  await expect.poll(() => isConnected(one)).toBe(false);

  const registered = await register(one.url, READ);
  const missed = await askByHash(other.url, sha256(READ));
  await redis.start();
  await expect.poll(() => isConnected(one)).toBe(true);
  await expect.poll(() => isConnected(other)).toBe(true);
  const second = '{ message(id: "m1") { id } }';
  await register(one.url, second);
  await expect.poll(() => redis.texts.size).toBe(1);
  const hit = await askByHash(other.url, sha256(second));

  expect(registered.data).toEqual(ANSWER);
  expect(missed.errors?.[0]?.extensions.code).toBe(MISS);
  expect(hit.data).toEqual({ message: { id: 'm1' } });
});

// security: redis-away
test('a Redis that answers nothing is waited for once, and not for each operation', async () => {
  await using gateway = await startReplica();
  const { redis } = gateway;
  redis.hang();
  const hashes = Array.from({ length: 20 }, (_, index) => sha256(`${index}`));

  const codes: unknown[] = [];
  for (const hash of hashes) {
    const { errors } = await askByHash(gateway.url, hash);
    codes.push(errors?.[0]?.extensions.code);
  }

  expect(codes).toEqual(hashes.map(() => MISS));
  const reads = redis.commands.filter((command) => command.startsWith('GET'));
  expect(reads.length).toBeLessThan(hashes.length / 2);
});

const WATCH = 'subscription { messageChanged(conversationId: "c1") { kind messageId } }';

// security: text-in-redis
test('notices that are not what they should be are ignored', async () => {
  await using gateway = await startReplica(growingList());
  const { redis } = gateway;
  const junk = await gateway.connect();
  await using watching = await subscribe(gateway.url, WATCH);
  const texts = ['', '{', 'null', '[]', '{"group":1,"notice":{"conversationIds":[7]}}'];
  for (const text of texts) redis.publish('messaging-graphql:changes', text);

  await junk.ask(SEND);

  expect((await watching.next())?.data.messageChanged.messageId).toBe('m2');
  expect(watching.results).toHaveLength(1);
});
