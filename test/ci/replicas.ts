import { deepEqual, equal, ok } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSubscriptions } from '../support/live.ts';
import { named as byHash, sha256 } from '../support/persisted.ts';
import { check } from './check.ts';
import { run } from './processes.ts';
import { startFleet, urlOf } from './replicas/fleet.ts';
import { type Change, LIBRARIES } from './replicas/live-clients.ts';
import { askOnce, startLoad } from './replicas/load.ts';
import { until } from './replicas/ports.ts';
import { localUnit } from './replicas/replica.ts';

/**
 * Runs three replicas behind a real nginx, with the files of deploy/, and a real Redis: what one learns all know, each is
 * replaced under load, and Redis goes away and comes back.
 */

const READ = '{ conversation(id: "conv_lisbon_trip") { id } }';
const ANSWER = { data: { conversation: { id: 'conv_lisbon_trip' } } };
const named = (text: string) => ({ extensions: byHash(sha256(text)) });

const NO_POLLS = { LIVE_POLL_MS: '100000000' };

await using fleet = await startFleet(NO_POLLS);
const { folder, environmentFile, nginx, ports, isConnected, allConnected } = fleet;

const eachHas = async (count: number): Promise<boolean> => {
  const counts = ports.map((port) => openSubscriptions({ url: urlOf(port) }));
  return (await Promise.all(counts)).every((open) => open === count);
};

await check('the unit is one that systemd accepts', async () => {
  const unit = join(folder, 'messaging-graphql@.service');
  await writeFile(unit, localUnit(environmentFile));
  const printed = await run('systemd-analyze', ['verify', unit.replace('@', '@4011')]);
  equal(printed, '');
});

await check('an operation registered at one replica is known to all', async () => {
  const [first = 0, ...others] = ports;
  deepEqual(await askOnce(urlOf(first), { query: READ, ...named(READ) }), ANSWER);
  for (const port of others) deepEqual(await askOnce(urlOf(port), named(READ)), ANSWER);
  deepEqual(await askOnce(nginx.url, named(READ)), ANSWER);
});

await check(
  'a message with a key is sent once, whatever replicas are asked',
  async () => {
    const query = `mutation { sendMessage(input: { conversationId: "conv_lisbon_trip", message: "with a key", clientMutationId: "k" }) { message { id } } }`;
    const ask = async (port: number) =>
      (await askOnce(urlOf(port), { query })).data.sendMessage.message.id;
    const atOnce = await Promise.all([...ports, ...ports].map(ask));
    const later = await Promise.all(ports.map(ask));
    equal(new Set([...atOnce, ...later]).size, 1);
  },
);

for (const [library, subscribe] of Object.entries(LIBRARIES)) {
  await check(
    `events pass nginx at once to ${library}, whatever replica the write went to`,
    async () => {
      const url = `${nginx.url}/graphql`;
      const token = 'ada-sample-token';
      const heard: Change[][] = [];
      const failures: unknown[] = [];
      using open = new DisposableStack();
      for (const _port of ports) {
        const changes: Change[] = [];
        heard.push(changes);
        const stop = subscribe(
          { url, token, conversationId: 'conv_lisbon_trip' },
          {
            connected() {},
            begun() {},
            lost() {},
            changed: (change) => changes.push(change),
            failed: (reason) => failures.push(reason),
          },
        );
        open.defer(stop);
      }
      await until('each replica has a subscription', () => eachHas(1));
      for (const [index, port] of ports.entries()) {
        const text = `${library} ${index}`;
        const write = `mutation { sendMessage(input: { conversationId: "conv_lisbon_trip", message: "${text}" }) { message { id } } }`;
        await askOnce(urlOf(port), { query: write });
        await until('all have heard', () =>
          heard.every((changes) => changes.length === index + 1),
        );
        deepEqual(
          heard.map((changes) => changes.at(-1)?.message?.message),
          [text, text, text],
        );
      }
      deepEqual(failures, []);
      open.dispose();
      await until('nothing is left open', () => eachHas(0));
    },
  );
}

/** Of these texts, those of messages that were not received exactly once. */
const wronglyReceived = async (texts: readonly string[]): Promise<string[]> => {
  const counts = new Map<string, number>();
  for (let after: string | null = null, hasNext = true; hasNext; ) {
    const query = `query ($after: String) {
        messages(conversationId: "conv_lisbon_trip", first: 100, after: $after) {
          nodes { message } pageInfo { hasNextPage endCursor } } }`;
    const answer = await askOnce(urlOf(ports[0] ?? 0), { query, variables: { after } });
    const { nodes, pageInfo } = answer.data.messages;
    for (const { message } of nodes) counts.set(message, (counts.get(message) ?? 0) + 1);
    ({ hasNextPage: hasNext, endCursor: after } = pageInfo);
    if (texts.every((text) => counts.has(text))) break;
  }
  return texts.filter((text) => counts.get(text) !== 1);
};

await check('each replica is replaced in turn under load: nothing is lost', async () => {
  const load = startLoad(nginx.url, 'replace');
  for (const port of ports) {
    const sent = load.tally.sent;
    await nginx.routeTo(ports.filter((other) => other !== port));
    equal(await fleet.stop(port), 0);
    await fleet.start(port);
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
});

await check('Redis killed and brought back costs hits, never answers', async () => {
  await until('all replicas are connected to Redis', allConnected);
  const load = startLoad(nginx.url, 'redis');
  await fleet.redis().end('SIGKILL');
  await until('it was noticed', async () => !(await isConnected(ports[0] ?? 0)));
  const [first = 0, second = 0] = ports;
  const query = `${READ} # away`;
  deepEqual(await askOnce(urlOf(first), { query, ...named(query) }), ANSWER);
  const missed = await askOnce(urlOf(second), named(query));
  equal(missed.errors?.[0]?.extensions.code, 'PERSISTED_QUERY_NOT_FOUND');
  await fleet.startRedis();
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

const redisPid = () => fleet.redis().child.pid ?? Number.NaN;

await check('a Redis that hangs is waited for once', async () => {
  process.kill(redisPid(), 'SIGSTOP');
  const hashes = Array.from({ length: 20 }, (_, index) => `unknown ${index}`);
  const began = performance.now();
  for (const text of hashes) await askOnce(urlOf(ports[0] ?? 0), named(text));
  const tookMs = performance.now() - began;
  process.kill(redisPid(), 'SIGCONT');
  // Each of them would wait 200 ms, four seconds together.
  ok(tookMs < 3000, `took ${tookMs} ms`);
});

for (const port of ports) equal(await fleet.stop(port), 0);
