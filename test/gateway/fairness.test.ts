import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  codes,
  type GraphqlAnswer,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts';
import { connectTo, toPost } from '../support/http.ts';
import { startUpstream, type UpstreamAnswer } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const READ = '{ message(id: "m0") { id } }';
const READ_DATA = { message: { id: 'm0' } };

/** An operation of `count` reads, none of which is equal to a read of another operation. */
const reads = (count: number, prefix: string) =>
  `{ ${Array.from({ length: count }, (_, i) => `f${i}: message(id: "${prefix}-${i}") { id }`).join(' ')} }`;

/** Gives Ann the answer, and every other caller a message at once. */
const startServiceAgainstAnn = (answer: UpstreamAnswer) =>
  startUpstream(({ line, token }) =>
    token === 'Bearer ann-token'
      ? { body: wireMessage('a'), ...answer }
      : { body: wireMessage(line.split('/').at(-1) ?? '') },
  );

/** A client that leaves at the end of the test. The gateway must be started before it, or it would wait for the client. */
function createLeaver(): AbortController & Disposable {
  const controller = new AbortController();
  return Object.assign(controller, { [Symbol.dispose]: () => controller.abort() });
}

/** Sends Ann's operations without waiting for them. */
function crowd(gateway: TestGateway, operations: number): Disposable {
  const controller = createLeaver();
  for (let index = 0; index < operations; index += 1) {
    gateway
      .ask(reads(250, `x${index}`), { signal: controller.signal })
      .catch(() => 'she left');
  }
  return controller;
}

async function askAsBob(gateway: TestGateway, times: number): Promise<GraphqlAnswer[]> {
  const answers: GraphqlAnswer[] = [];
  while (answers.length < times) {
    answers.push(await gateway.ask(READ, { token: 'bob-token' }));
  }
  return answers;
}

describe('beside a caller for whom the service', () => {
  // Each of these holds for longer than a test may take.
  test.each<[what: string, answer: UpstreamAnswer]>([
    ['hangs', { delayMs: 60_000 }],
    ['takes a second', { delayMs: 1000 }],
    ['answers 429', { status: 429, headers: { 'retry-after': '20' } }],
    ['answers 500', { status: 500 }],
    ['closes the connection', { broken: 'before' }],
  ])('%s, another caller gets every answer', async (_what, answer) => {
    await using upstream = await startServiceAgainstAnn(answer);
    await using gateway = await startTestGateway(upstream.url, {
      REST_CONNECTIONS: '8',
      REST_TIMEOUT_MS: '25000',
    });

    using _ann = crowd(gateway, 5);
    await expect.poll(() => upstream.calls.length).toBeGreaterThanOrEqual(5);
    const answers = await askAsBob(gateway, 40);

    expect(answers.filter(({ errors }) => errors !== undefined)).toEqual([]);
    expect(answers.map(({ data }) => data)).toEqual(Array(40).fill(READ_DATA));
  });
});

test('one caller leaves connections free', async () => {
  await using upstream = await startUpstream(({ line }) => ({
    body: wireMessage('m0'),
    delayMs: line.endsWith('m0') ? 0 : 60_000,
  }));
  await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '16' });
  for (const name of ['ann', 'bob']) await gateway.ask(READ, { token: `${name}-token` });
  upstream.calls.length = 0;

  using _ann = crowd(gateway, 1);
  await expect.poll(() => upstream.calls.length).toBe(13);
  using other = createLeaver();
  gateway
    .ask(reads(50, 'y'), { token: 'bob-token', signal: other.signal })
    .catch(() => 'he left');
  await expect.poll(() => upstream.calls.length).toBe(15);

  expect(upstream.mostAtOnce).toBe(15);
});

test('one caller leaves room in the queue', async () => {
  await using upstream = await startUpstream(({ line }) => ({
    body: wireMessage(line.split('/').at(-1) ?? ''),
    delayMs: 50,
  }));
  await using gateway = await startTestGateway(upstream.url, {
    REST_CONNECTIONS: '1',
    REST_QUEUE: '8',
  });
  await gateway.ask(READ);

  const ann = gateway.ask(reads(20, 'x'));
  await expect.poll(() => upstream.calls.length).toBeGreaterThanOrEqual(2);
  const [bob] = await askAsBob(gateway, 1);

  expect(bob?.data).toEqual(READ_DATA);
  const refused = (await ann).errors ?? [];
  expect(refused).toHaveLength(20 - 1 - 7);
  for (const { extensions } of refused) {
    expect(extensions).toEqual({ code: 'OVERLOADED', retryAfterSeconds: 1 });
  }
});

test('free connections go round between the callers that wait', async () => {
  await using upstream = await startUpstream(({ line }) => ({
    body: wireMessage(line.split('/').at(-1) ?? ''),
    delayMs: 30,
  }));
  await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '1' });

  const ann = gateway.ask(reads(40, 'x'));
  await expect.poll(() => upstream.calls.length).toBeGreaterThanOrEqual(1);
  const others = ['bob', 'cid'].map((name) =>
    gateway.ask(reads(4, name), { token: `${name}-token` }),
  );
  const answers = await Promise.all([ann, ...others]);

  expect(answers.map(codes)).toEqual([{}, {}, {}]);
  const tokens = upstream.calls.map(({ token }) => token?.slice('Bearer '.length, -6));
  const lastOfOthers = Math.max(tokens.lastIndexOf('bob'), tokens.lastIndexOf('cid'));
  const between = tokens.slice(
    tokens.findIndex((name) => name !== 'ann'),
    lastOfOthers,
  );
  // While all three wait, each gets every third call.
  expect(between.filter((name) => name === 'ann').length).toBeLessThanOrEqual(8);
});

test('a call that waits to be repeated holds no connection', async () => {
  await using upstream = await startServiceAgainstAnn({
    status: 429,
    headers: { 'retry-after': '20' },
  });
  await using gateway = await startTestGateway(upstream.url, {
    REST_CONNECTIONS: '1',
    REST_QUEUE: '0',
  });
  using ann = createLeaver();

  gateway.ask(READ, { signal: ann.signal }).catch(() => 'she left');
  await expect.poll(() => upstream.calls.length).toBeGreaterThanOrEqual(1);

  await expect.poll(async () => (await askAsBob(gateway, 1))[0]?.data).toEqual(READ_DATA);
});

describe('the circuit', () => {
  test('opens for one caller if the service fails that caller alone', async () => {
    await using upstream = await startServiceAgainstAnn({ status: 500 });
    await using gateway = await startTestGateway(upstream.url);

    await gateway.ask(reads(40, 'x'));
    const ann = await gateway.ask(READ);
    const [bob] = await askAsBob(gateway, 1);

    expect(codes(ann)).toEqual({ message: 'OVERLOADED' });
    expect(bob?.data).toEqual(READ_DATA);
  });

  test('opens for all if the service fails several callers', async () => {
    await using upstream = await startUpstream(() => ({ status: 500 }));
    await using gateway = await startTestGateway(upstream.url);

    for (const name of ['ann', 'bob', 'cid']) {
      await gateway.ask(reads(7, name), { token: `${name}-token` });
    }
    const before = upstream.calls.length;
    const newcomer = await gateway.ask(READ, { token: 'dan-token' });

    expect(codes(newcomer)).toEqual({ message: 'OVERLOADED' });
    expect(upstream.calls).toHaveLength(before);
  });
});

test('a client without a valid token does not close the circuit for others', async () => {
  await using upstream = await startUpstream(({ token }) => ({
    status: token === 'Bearer bad-token' ? 401 : 500,
  }));
  await using gateway = await startTestGateway(upstream.url);
  const askAs = async (name: string) =>
    codes(await gateway.ask(READ, { token: `${name}-token` }));
  await askAs('bad');
  for (const name of ['ann', 'bob', 'cid'])
    await gateway.ask(reads(7, name), { token: `${name}-token` });

  expect(await askAs('bad')).toEqual({ message: 'OVERLOADED' });

  expect(await askAs('dan')).toEqual({ message: 'OVERLOADED' });
});

describe('the thread goes round between callers', () => {
  /** Sends operations over connections of their own, all in one moment, and reads the answers. */
  async function askAtOnce(url: string, asked: { token: string; query: string }[]) {
    const sockets = asked.map(() => connectTo(url));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const [index, { token, query }] of asked.entries())
      sockets[index]?.write(
        toPost(query, { Authorization: `Bearer ${token}`, Connection: 'close' }),
      );
    const read = async (socket: Socket) => Buffer.concat(await socket.toArray());
    return (await Promise.all(sockets.map(read))).map(String);
  }

  /** An operation of one call, and of as much work as an operation may make of it. */
  const aliases = (id: string) =>
    `{ ${Array.from({ length: 900 }, (_, i) => `f${i}: message(id: "${id}") { id }`).join(' ')} }`;

  test('an operation that arrives behind five others does not wait for all of them', async () => {
    await using upstream = await startUpstream(({ line }) => ({
      body: wireMessage(line.split('/').at(-1) ?? ''),
    }));
    await using gateway = await startTestGateway(upstream.url);
    const ofAnn = ['a0', 'a1', 'a2', 'a3', 'a4'];

    const answers = await askAtOnce(gateway.url, [
      ...ofAnn.map((id) => ({ token: 'ann-token', query: aliases(id) })),
      { token: 'bob-token', query: '{ message(id: "b") { id } }' },
    ]);

    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 200 /);
    const ids = upstream.lines().map((line) => line.split('/').at(-1));
    expect([...ids].sort()).toEqual([...ofAnn, 'b']);
    expect(ids.at(-1)).not.toBe('b');
  });

  test('a large answer that is being completed lets other operations through', async () => {
    const items = Array.from({ length: 100 }, (_, index) => wireMessage(`m${index}`));
    let ofBob = 0;
    let isOver = false;
    const askAsBob = async () => {
      while (!isOver) {
        await gateway.ask('{ __typename }', { token: 'bob-token' });
        if (!isOver) ofBob += 1;
      }
    };
    const asked: Promise<void>[] = [];
    await using upstream = await startUpstream(() => ({
      async write(response) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(wirePage(items)));
        await once(response, 'finish');
        asked.push(askAsBob());
      },
    }));
    await using gateway = await startTestGateway(upstream.url);
    const nodes = Array.from(
      { length: 240 },
      (_, i) => `a${i}: nodes { id message createdAt }`,
    );

    await gateway.ask(`{ messages(first: 100) { ${nodes.join(' ')} } }`, {
      token: 'ann-token',
    });
    isOver = true;
    await Promise.all(asked);

    expect(ofBob).toBeGreaterThan(5);
  });
});
