import { deepEqual, equal, ok } from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../support/persisted.ts';
import { subscribe } from '../support/subscribe.ts';
import { check } from './check.ts';
import { run, startServer } from './processes.ts';
import { type Daemon, startDaemon } from './replicas/daemon.ts';
import { askOnce, startLoad } from './replicas/load.ts';
import { startNginx } from './replicas/nginx.ts';
import { findPorts, until } from './replicas/ports.ts';
import { localUnit, startReplica } from './replicas/replica.ts';

/**
 * Runs three replicas behind a real nginx, with the files of deploy/, and a real Redis: what one learns all know, each is
 * replaced under load, and Redis goes away and comes back.
 */

const ROOT = join(import.meta.dirname, '../..');
const READ = '{ conversation(id: "conv_lisbon_trip") { id } }';
const ANSWER = { data: { conversation: { id: 'conv_lisbon_trip' } } };
const named = (text: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: sha256(text) } },
});

const folder = await mkdtemp(join(tmpdir(), 'messaging-graphql-replicas-'));
// nginx, started by root, works as another user.
await chmod(folder, 0o777);
try {
  const [redisPort = 0, nginxPort = 0, ...ports] = await findPorts(5);
  await using service = await startServer(
    process.execPath,
    [join(ROOT, 'bin/messaging-graphql.js'), 'embedded'],
    { env: { ...process.env, PORT: '0' } },
  );
  const messagingUrl = service.firstLine.split(' ').at(-1) ?? '';

  const startRedis = (): Daemon =>
    startDaemon('redis-server', [
      ...['--port', `${redisPort}`, '--bind', '127.0.0.1'],
      ...['--save', '', '--appendonly', 'no', '--dir', folder],
    ]);
  const environmentFile = join(folder, 'replica.env');
  await writeFile(
    environmentFile,
    `MESSAGING_URL=${messagingUrl}\nREDIS_URL=redis://127.0.0.1:${redisPort}\nLIVE_POLL_MS=100000000\nLOG_LEVEL=warn\n`,
  );
  const urlOf = (port: number) => `http://127.0.0.1:${port}`;
  const isConnected = async (port: number) =>
    /^gateway_redis_connected 1$/m.test(
      await (await fetch(`${urlOf(port)}/metrics`)).text(),
    );
  const allConnected = async () =>
    (await Promise.all(ports.map(isConnected))).every(Boolean);

  const stack = new AsyncDisposableStack();
  await using _all = stack;
  let redis = stack.use(startRedis());
  const replicas = new Map<number, Daemon>();
  const start = async (port: number) =>
    void replicas.set(port, stack.use(await startReplica(port, environmentFile)));
  await Promise.all(ports.map(start));
  const nginx = stack.use(await startNginx(folder, nginxPort, ports));
  await until('all replicas are connected to Redis', allConnected);

  await check('the unit is one that systemd accepts', async () => {
    const unit = join(folder, 'messaging-graphql@.service');
    await writeFile(unit, localUnit(environmentFile));
    const printed = await run('systemd-analyze', ['verify', unit.replace('@', '@4001')]);
    equal(printed, '');
  });

  await check('an operation registered at one replica is known to all', async () => {
    const [first = 0, ...others] = ports;
    deepEqual(await askOnce(urlOf(first), { query: READ, ...named(READ) }), ANSWER);
    for (const port of others) deepEqual(await askOnce(urlOf(port), named(READ)), ANSWER);
    deepEqual(await askOnce(nginx.url, named(READ)), ANSWER);
  });

  await check(
    'events pass nginx at once, whatever replica the write went to',
    async () => {
      const watch =
        'subscription { messageChanged(conversationId: "conv_lisbon_trip") { message { message } } }';
      const subscriptions = await Promise.all(
        ports.map(() => subscribe(nginx.url, watch, { token: 'ada-sample-token' })),
      );
      for (const [index, port] of ports.entries()) {
        const text = `live ${index}`;
        const write = `mutation { sendMessage(input: { conversationId: "conv_lisbon_trip", message: "${text}" }) { message { id } } }`;
        await askOnce(urlOf(port), { query: write });
        for (const one of subscriptions) {
          const event = await one.next();
          equal(event?.data.messageChanged.message.message, text);
        }
      }
      for (const one of subscriptions) await one[Symbol.asyncDispose]();
    },
  );

  /** Of these texts, those of messages that were not received exactly once. */
  const wronglyReceived = async (texts: readonly string[]): Promise<string[]> => {
    const counts = new Map<string, number>();
    for (let after: string | null = null, hasNext = true; hasNext; ) {
      const query = `query ($after: String) {
        messages(conversationId: "conv_lisbon_trip", first: 100, after: $after) {
          nodes { message } pageInfo { hasNextPage endCursor } } }`;
      const answer = await askOnce(urlOf(ports[0] ?? 0), { query, variables: { after } });
      const { nodes, pageInfo } = answer.data.messages;
      for (const { message } of nodes)
        counts.set(message, (counts.get(message) ?? 0) + 1);
      ({ hasNextPage: hasNext, endCursor: after } = pageInfo);
      if (texts.every((text) => counts.has(text))) break;
    }
    return texts.filter((text) => counts.get(text) !== 1);
  };

  await check(
    'each replica is replaced in turn under load: nothing is lost',
    async () => {
      const load = startLoad(nginx.url, 'replace');
      for (const port of ports) {
        const sent = load.tally.sent;
        await nginx.routeTo(ports.filter((other) => other !== port));
        equal(await replicas.get(port)?.end('SIGTERM'), 0);
        await start(port);
        await nginx.routeTo(ports);
        await until('more was sent', () => load.tally.sent > sent + 100);
      }
      const { sent, answered, lost, texts } = await load.stop();
      process.stdout.write(
        `  ${sent} operations sent, ${answered} answered, ${lost.length} lost\n`,
      );
      deepEqual(lost, []);
      ok(sent > 300, `only ${sent} operations were sent`);
      deepEqual(await wronglyReceived(texts.slice(-200)), []);
    },
  );

  await check('Redis killed and brought back costs hits, never answers', async () => {
    await until('all replicas are connected to Redis', allConnected);
    const load = startLoad(nginx.url, 'redis');
    await redis.end('SIGKILL');
    await until('it was noticed', async () => !(await isConnected(ports[0] ?? 0)));
    const [first = 0, second = 0] = ports;
    const query = `${READ} # away`;
    deepEqual(await askOnce(urlOf(first), { query, ...named(query) }), ANSWER);
    const missed = await askOnce(urlOf(second), named(query));
    equal(missed.errors[0].extensions.code, 'PERSISTED_QUERY_NOT_FOUND');
    redis = stack.use(startRedis());
    await until('all replicas are connected to Redis', allConnected);
    const again = `${READ} # back`;
    deepEqual(await askOnce(urlOf(first), { query: again, ...named(again) }), ANSWER);
    deepEqual(await askOnce(urlOf(second), named(again)), ANSWER);
    const { sent, answered, lost } = await load.stop();
    process.stdout.write(
      `  ${sent} operations sent, ${answered} answered, ${lost.length} lost\n`,
    );
    deepEqual(lost, []);
  });

  await check('a Redis that hangs is waited for once', async () => {
    process.kill(redis.pid, 'SIGSTOP');
    const hashes = Array.from({ length: 20 }, (_, index) => `unknown ${index}`);
    const began = performance.now();
    for (const text of hashes) await askOnce(urlOf(ports[0] ?? 0), named(text));
    const tookMs = performance.now() - began;
    process.kill(redis.pid, 'SIGCONT');
    // Each of them would wait 200 ms, four seconds together.
    ok(tookMs < 3000, `took ${tookMs} ms`);
  });

  for (const port of ports) equal(await replicas.get(port)?.end('SIGTERM'), 0);
} finally {
  await rm(folder, { recursive: true, force: true });
}
