import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { FAST, MESSAGES } from '../support/live.ts';
import { openSocket, type TestSocket } from '../support/socket.ts';
import { startUpstream, type UpstreamAnswer } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const READ = '{ message(id: "m0") { id } }';
const READ_DATA = { message: { id: 'm0' } };

/** Knows the tokens that do not begin with `made-up`; `answer` is for those that do. */
const startService = (answer: UpstreamAnswer) =>
  startUpstream(({ line, token }) => {
    if (token?.startsWith('Bearer made-up')) return answer;
    const message = wireMessage(line.split('/').at(-1) ?? '');
    return { body: line.includes('?') ? wirePage([message]) : message };
  });

const READS = `{ ${Array.from({ length: 240 }, (_, index) => `f${index}: message(id: "m${index}") { id }`).join(' ')} }`;

/** Sends an operation from an address of this machine. */
function postFrom(localAddress: string, url: string, query: string, token: string) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
  };
  const request = httpRequest(`${url}/graphql`, {
    method: 'POST',
    headers,
    localAddress,
  });
  request.on('error', () => {}).end(JSON.stringify({ query }));
  return request;
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Opens sockets, some dozens at once: more may not wait to be accepted. */
async function openSockets(
  url: string,
  count: number,
  toToken: (index: number) => string,
): Promise<TestSocket[] & Disposable> {
  const sockets: TestSocket[] = [];
  while (sockets.length < count) {
    const from = sockets.length;
    const next = many(Math.min(100, count - from), (index) =>
      openSocket(url, { token: toToken(from + index) }),
    );
    sockets.push(...(await Promise.all(next)));
  }
  const end = () => {
    for (const { ws } of sockets) ws.terminate();
  };
  return Object.assign(sockets, { [Symbol.dispose]: end });
}

const isOpen = ({ ws }: TestSocket) => ws.readyState === ws.OPEN;

describe('beside callers with made-up tokens', () => {
  test('by the dozen, for whom the service hangs, others get every answer', async () => {
    await using upstream = await startService({ delayMs: 60_000 });
    await using gateway = await startTestGateway(upstream.url, {
      REST_CONNECTIONS: '8',
      REST_QUEUE: '40',
      REST_TIMEOUT_MS: '25000',
    });
    expect((await gateway.ask(READ, { token: 'bob' })).data).toEqual(READ_DATA);
    const leave = new AbortController();
    const made = many(100, (index) =>
      gateway
        .ask(READ, { token: `made-up-${index}`, signal: leave.signal })
        .catch(() => 'left'),
    );
    await expect.poll(() => upstream.calls.length).toBeGreaterThanOrEqual(7);

    const answers = [];
    for (let turn = 0; turn < 40; turn += 1)
      answers.push(await gateway.ask(READ, { token: 'bob' }));
    leave.abort();
    await Promise.all(made);

    expect(answers.map(({ data }) => data)).toEqual(Array(40).fill(READ_DATA));
  });

  test('a caller that makes its first call gets its answer, too', async () => {
    await using upstream = await startService({ delayMs: 60_000 });
    await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '8' });
    const leave = new AbortController();
    const made = many(20, () =>
      gateway.ask(READ, { token: 'made-up', signal: leave.signal }).catch(() => 'left'),
    );
    await expect.poll(() => upstream.calls.length).toBeGreaterThanOrEqual(1);

    const { data } = await gateway.ask(READ, { token: 'bob' });
    leave.abort();
    await Promise.all(made);

    expect(data).toEqual(READ_DATA);
  });

  test('with hundreds of calls each, callers that make their first call get their answers, too', async () => {
    await using upstream = await startService({ status: 401, delayMs: 50 });
    await using gateway = await startTestGateway(upstream.url, {
      REST_CONNECTIONS: '8',
      REST_QUEUE: '40',
    });
    let isOver = false;
    const made = many(20, async (index) => {
      while (!isOver) await gateway.ask(READS, { token: `made-up-${index}` });
    });
    await expect.poll(() => upstream.calls.length).toBeGreaterThanOrEqual(20);

    const answers = [];
    for (let turn = 0; turn < 8; turn += 1)
      answers.push(await gateway.ask(READ, { token: `bob-${turn}` }));
    isOver = true;
    await Promise.all(made);

    expect(answers.map(({ data }) => data)).toEqual(Array(8).fill(READ_DATA));
  });

  test('by the dozen from another network, for whom the service hangs, a caller that makes its first call gets its answer', {
    // Other systems have no second address of their own.
    skip: process.platform !== 'linux',
  }, async () => {
    await using upstream = await startService({ delayMs: 60_000 });
    await using gateway = await startTestGateway(upstream.url, {
      REST_CONNECTIONS: '8',
      REST_QUEUE: '40',
    });
    const made = many(100, (index) =>
      postFrom('127.0.0.2', gateway.url, READ, `made-up-${index}`),
    );
    await expect.poll(() => upstream.calls.length).toBeGreaterThanOrEqual(6);

    const { data } = await gateway.ask(READ, { token: 'bob' });
    for (const request of made) request.destroy();

    expect(data).toEqual(READ_DATA);
  });

  test('that hold a thousand sockets, a caller gets all of its own', async () => {
    await using upstream = await startService({ status: 401 });
    await using gateway = await startTestGateway(upstream.url);
    using made = await openSockets(gateway.url, 1000, (index) => `made-up-${index}`);

    using own = await openSockets(gateway.url, 20, () => 'bob');
    for (const [index, socket] of own.entries()) {
      socket.subscribe(`${index}`, READ);
      expect(await socket.next()).toMatchObject({ payload: { data: READ_DATA } });
    }
    using more = await openSockets(gateway.url, 100, (index) => `made-up-too-${index}`);

    expect(own.filter(isOpen)).toHaveLength(20);
    await expect.poll(() => made.filter(isOpen).length).toBeLessThanOrEqual(900);
    expect(more.filter(isOpen)).toHaveLength(100);
  });
});

test('sockets that a caller opened before its token was accepted count for it afterwards', async () => {
  await using upstream = await startService({ status: 401 });
  await using gateway = await startTestGateway(upstream.url, {
    MAX_SUBSCRIPTIONS: '100',
  });
  using sockets = await openSockets(gateway.url, 95, () => 'bob');
  expect(sockets.filter(isOpen)).toHaveLength(95);

  sockets[0]?.subscribe('first', READ);
  expect(await sockets[0]?.next()).toMatchObject({ payload: { data: READ_DATA } });

  expect(await Promise.all(sockets.slice(80).map(({ closed }) => closed))).toEqual(
    Array(15).fill(1013),
  );
  expect(sockets.filter(isOpen)).toHaveLength(80);
});

test('after a restart, hundreds of clients that come back at once all get their subscriptions', async () => {
  await using upstream = await startService({ status: 401 });
  await using gateway = await startTestGateway(upstream.url, FAST);
  using clients = await openSockets(gateway.url, 500, (index) => `client-${index}`);
  for (const client of clients) client.subscribe('s', MESSAGES, { id: 'c1' });

  await expect
    .poll(() => new Set(upstream.calls.map(({ token }) => token)).size, {
      timeout: 20_000,
    })
    .toBe(500);
  using _made = await openSockets(gateway.url, 600, (index) => `made-up-${index}`);

  expect(clients.filter(isOpen)).toHaveLength(500);
});
