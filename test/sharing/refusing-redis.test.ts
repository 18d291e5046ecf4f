import { expect, test } from 'vitest';
import { createScripted, keepLines, MESSAGE, MESSAGE_DATA } from '../library/support.ts';
import { startFakeRedis } from '../support/fake-redis.ts';
import { sha256 } from '../support/persisted.ts';

/** A gateway with a Redis, and what it logs of Redis. */
async function startReplica(redisUrl: string) {
  const { lines, logger } = keepLines();
  const gateway = await createScripted(undefined, { redisUrl, logger });
  const execute = (query: string | undefined, hashed: string) =>
    gateway.execute({
      query,
      token: 'ann-token',
      extensions: { persistedQuery: { version: 1, sha256Hash: sha256(hashed) } },
    });
  return {
    register: (text: string) => execute(text, text),
    ask: (text: string) => execute(undefined, text),
    isConnected: async () => /^gateway_redis_connected 1$/m.test(await gateway.metrics()),
    log: () => lines.filter(({ msg }) => `${msg}`.includes('Redis')),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

test('the password of REDIS_URL is not logged if the answer quotes it, as to a command that a proxy does not know', async () => {
  await using redis = await startFakeRedis();
  redis.replies.set('AUTH', "-ERR unknown command 'AUTH', with args: 'se%cret'\r\n");
  const url = redis.url.replace('redis://', 'redis://:se%25cret@');

  await using replica = await startReplica(url);

  await expect.poll(() => replica.log().length).toBeGreaterThan(0);
  expect(JSON.stringify(replica.log())).toContain('unknown command');
  expect(JSON.stringify(replica.log())).not.toContain('cret');
});

test('a command that Redis refuses is logged once, and Redis counts as away until it is accepted', async () => {
  await using redis = await startFakeRedis();
  await using one = await startReplica(redis.url);
  await expect.poll(one.isConnected).toBe(true);
  redis.replies.set('SET', '-OOM command not allowed\r\n');

  const answers = [await one.register(MESSAGE), await one.register(`${MESSAGE} # 2`)];
  await expect.poll(one.isConnected).toBe(false);
  const refused = one.log();
  redis.replies.clear();
  await one.register(`${MESSAGE} # 3`);
  await expect.poll(one.isConnected).toBe(true);

  expect(answers.map(({ data }) => data)).toEqual([MESSAGE_DATA, MESSAGE_DATA]);
  const msg = 'Redis refuses a command: less is shared over it';
  expect(refused).toEqual([
    { level: 'warn', command: 'SET', cause: 'OOM command not allowed', msg },
  ]);
  expect(one.log().slice(1)).toEqual([
    { level: 'info', msg: 'Redis accepts all commands again' },
  ]);
});

test('a Redis that wants a password, and gets none, does not count as connected', async () => {
  await using redis = await startFakeRedis();
  for (const command of ['SUBSCRIBE', 'PING', 'GET', 'SET'])
    redis.replies.set(command, '-NOAUTH Authentication required.\r\n');
  await using one = await startReplica(redis.url);

  await expect.poll(() => one.log().length).toBe(1);

  expect(await one.isConnected()).toBe(false);
  expect(one.log()[0]).toMatchObject({ cause: 'NOAUTH Authentication required.' });
});

test('a Redis that has never answered is logged as away', async () => {
  await using redis = await startFakeRedis();
  redis.hang();
  await using one = await startReplica(redis.url);

  await expect.poll(one.log).toEqual([
    {
      level: 'warn',
      cause: 'no answer in 5000 ms',
      msg: 'Redis is away: nothing is shared over it',
    },
  ]);
});

test.each([
  ['a number', ':1\r\n'],
  ['a list', '*1\r\n$1\r\na\r\n'],
])('%s, where a text was expected, costs a hit', async (_, reply) => {
  await using redis = await startFakeRedis();
  await using one = await startReplica(redis.url);
  await expect.poll(one.isConnected).toBe(true);
  redis.replies.set('GET', reply);

  const { errors } = await one.ask(MESSAGE);

  expect(errors?.[0]?.extensions?.code).toBe('PERSISTED_QUERY_NOT_FOUND');
});
