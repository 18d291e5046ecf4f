import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  type GraphqlAnswer,
  reads,
  startScripted,
  type TestGateway,
} from '../support/gateway.ts';
import { connectTo, toPost } from '../support/http.ts';
import { openSocket, type TestSocket } from '../support/socket.ts';
import type { Respond, UpstreamAnswer } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const READ = '{ message(id: "m0") { id } }';
const READ_DATA = { message: { id: 'm0' } };

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Gives the callers whose tokens begin so this answer, and every other caller a message at once. */
const against =
  (token: string, answer: UpstreamAnswer): Respond =>
  (call) => {
    const message = wireMessage(call.line.split('/').at(-1) ?? '');
    if (call.token?.startsWith(`Bearer ${token}`)) return { body: message, ...answer };
    return { body: call.line.includes('?') ? wirePage([message]) : message };
  };

/** Clients that leave at the end of the test. The gateway must be started before them, or it would wait for them. */
function crowd(
  gateway: TestGateway,
  operations: readonly { token: string; query: string }[],
): Disposable {
  const controller = new AbortController();
  const { signal } = controller;
  for (const { token, query } of operations)
    gateway.ask(query, { token, signal }).catch(() => 'they left');
  return { [Symbol.dispose]: () => controller.abort() };
}

const crowdOfAnn = (gateway: TestGateway, operations: number): Disposable =>
  crowd(
    gateway,
    many(operations, (index) => ({ token: 'ann', query: reads(250, `x${index}-`) })),
  );

async function askAsBob(gateway: TestGateway, times: number): Promise<GraphqlAnswer[]> {
  const answers: GraphqlAnswer[] = [];
  while (answers.length < times) {
    answers.push(await gateway.ask(READ, { token: 'bob' }));
  }
  return answers;
}

describe('beside a caller for whom the service', () => {
  // Each of these holds for longer than a test may take.
  // security: all-connections
  test.each<[what: string, answer: UpstreamAnswer]>([
    ['hangs', { delayMs: 60_000 }],
    ['takes a second', { delayMs: 1000 }],
    ['answers 429', { status: 429, headers: { 'retry-after': '20' } }],
    ['answers 500', { status: 500 }],
    ['closes the connection', { broken: 'before' }],
  ])('%s, another caller gets every answer', async (_, answer) => {
    await using gateway = await startScripted(against('ann', answer), {
      REST_CONNECTIONS: '8',
      REST_TIMEOUT_MS: '25000',
    });

    using _ann = crowdOfAnn(gateway, 5);
    await expect.poll(() => gateway.service.calls.length).toBeGreaterThanOrEqual(5);
    const answers = await askAsBob(gateway, 40);

    expect(answers.map(({ data }) => data)).toEqual(Array(40).fill(READ_DATA));
  });
});

// security: rate-limited-caller
test('a call that waits to be repeated holds no connection', async () => {
  const limited = { status: 429, headers: { 'retry-after': '20' } };
  await using gateway = await startScripted(against('ann', limited), {
    REST_CONNECTIONS: '1',
    REST_QUEUE: '0',
  });

  using _ann = crowd(gateway, [{ token: 'ann', query: READ }]);
  await expect.poll(() => gateway.service.calls.length).toBeGreaterThanOrEqual(1);

  await expect.poll(async () => (await askAsBob(gateway, 1))[0]?.data).toEqual(READ_DATA);
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
    `{ ${many(900, (i) => `f${i}: message(id: "${id}") { id }`).join(' ')} }`;

  // security: whole-thread
  test('an operation that arrives behind five others does not wait for all of them', async () => {
    await using gateway = await startScripted(against('nobody', {}));
    const ofAnn = ['a0', 'a1', 'a2', 'a3', 'a4'];

    const answers = await askAtOnce(gateway.url, [
      ...ofAnn.map((id) => ({ token: 'ann', query: aliases(id) })),
      { token: 'bob', query: '{ message(id: "b") { id } }' },
    ]);

    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 200 /);
    const ids = gateway.service.lines().map((line) => line.split('/').at(-1));
    expect(ids.toSorted()).toEqual([...ofAnn, 'b']);
    expect(ids.at(-1)).not.toBe('b');
  });

  // security: large-answer
  test('a large answer that is being completed lets other operations through', async () => {
    const items = many(100, (index) => wireMessage(`m${index}`));
    let ofBob = 0;
    let isOver = false;
    const askAsBob = async () => {
      while (!isOver) {
        await gateway.ask('{ __typename }', { token: 'bob' });
        if (!isOver) ofBob += 1;
      }
    };
    const asked: Promise<void>[] = [];
    await using gateway = await startScripted(() => ({
      async write(response) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(wirePage(items)));
        await once(response, 'finish');
        asked.push(askAsBob());
      },
    }));
    const nodes = many(240, (i) => `a${i}: nodes { id message createdAt }`);

    await gateway.ask(`{ messages(first: 100) { ${nodes.join(' ')} } }`, {
      token: 'ann',
    });
    isOver = true;
    await Promise.all(asked);

    // Without a pause there is none; how many there are depends on the machine.
    expect(ofBob).toBeGreaterThan(1);
  });
});

// security: made-up-tokens
test('beside callers with made-up tokens, for whom the service hangs, a caller that makes its first call gets its answer', async () => {
  const hanging = against('made-up', { delayMs: 60_000 });
  await using gateway = await startScripted(hanging, { REST_CONNECTIONS: '8' });

  using _made = crowd(gateway, Array(20).fill({ token: 'made-up', query: READ }));
  await expect.poll(() => gateway.service.calls.length).toBeGreaterThanOrEqual(1);
  const [bob] = await askAsBob(gateway, 1);

  expect(bob?.data).toEqual(READ_DATA);
});

// security: endless-sockets
test('sockets that a caller opened before its token was accepted count for it afterwards', async () => {
  await using gateway = await startScripted(against('nobody', {}), {
    MAX_SUBSCRIPTIONS: '100',
  });
  const sockets: TestSocket[] = [];
  // One after the other: many at once may be read in another order.
  while (sockets.length < 95)
    sockets.push(await openSocket(gateway.url, { token: 'bob' }));
  const open = () => sockets.filter(({ ws }) => ws.readyState === ws.OPEN);
  expect(open()).toHaveLength(95);

  sockets[0]?.subscribe('first', READ);
  expect(await sockets[0]?.next()).toMatchObject({ payload: { data: READ_DATA } });

  const closed = await Promise.all(sockets.slice(80).map((socket) => socket.closed));
  expect(closed).toEqual(Array(15).fill(1013));
  expect(open()).toHaveLength(80);
  for (const { ws } of sockets) ws.terminate();
});
