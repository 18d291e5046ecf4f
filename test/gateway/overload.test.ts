import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  type AskOptions,
  codes,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { answering, startUpstream, type UpstreamAnswer } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

/** An operation of `count` reads. */
const reads = (count: number, prefix = 'm') =>
  `{ ${Array.from({ length: count }, (_, index) => `f${index}: message(id: "${prefix}${index}") { id }`).join(' ')} }`;

const READ = '{ message(id: "m0") { id } }';

describe('a failing service', () => {
  test('gets no calls: reads and writes are refused at once, until it is tried again within a second', async () => {
    let isDown = true;
    await using upstream = await startUpstream(() =>
      isDown ? { status: 500 } : { body: wireMessage('m0') },
    );
    await using gateway = await startTestGateway(upstream.url, { REST_RETRIES: '0' });
    await gateway.ask(reads(25));
    const before = upstream.calls.length;

    const read = await gateway.ask(READ);
    const written = await gateway.ask(
      'mutation { deleteMessage(input: { id: "m0" }) { deletedMessageId } }',
    );
    const health = await fetch(`${gateway.url}/healthz`);
    const readiness = await fetch(`${gateway.url}/readyz`);

    for (const answer of [read, written]) {
      expect(answer.status).toBe(200);
      expect(answer.errors?.[0]?.extensions).toEqual({
        code: 'OVERLOADED',
        retryAfterSeconds: 1,
      });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect([health.status, readiness.status]).toEqual([200, 200]);
    expect(upstream.calls).toHaveLength(before);
    isDown = false;
    await expect
      .poll(async () => (await gateway.ask(READ)).data)
      .toEqual({ message: { id: 'm0' } });
  });

  test('still gets calls if it fails with 4xx', async () => {
    await using upstream = await startUpstream(() => ({ status: 403 }));
    await using gateway = await startTestGateway(upstream.url);

    await gateway.ask(reads(40));

    expect(codes(await gateway.ask(READ))).toEqual({
      message: 'FORBIDDEN',
    });
  });

  test('gets no calls after it left operations unanswered until their time was up', async () => {
    await using upstream = await startUpstream(() => ({ delayMs: 30_000 }));
    await using gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '1000',
    });

    const slow = await gateway.ask(reads(25));
    const spared = await gateway.ask(READ);

    expect(new Set(Object.values(codes(slow)))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    expect(codes(spared)).toEqual({ message: 'OVERLOADED' });
  });

  test.each<[UpstreamAnswer, code: string]>([
    [{ status: 503 }, 'UPSTREAM_ERROR'],
    [{ broken: 'before' }, 'UPSTREAM_UNREACHABLE'],
  ])(
    'causes its own error, not OVERLOADED, if the circuit opens before a retry: %j',
    async (answer, code) => {
      await using upstream = await startUpstream(() => answer);
      await using gateway = await startTestGateway(upstream.url);

      const seen = new Map<number, Set<string | undefined>>();
      for (let turn = 0; turn < 9; turn += 1) {
        const before = upstream.calls.length;
        const { message } = codes(await gateway.ask(READ));
        const sent = upstream.calls.length - before;
        seen.set(sent, (seen.get(sent) ?? new Set()).add(message));
      }

      // The twentieth call opens the circuit; it is the second of the three that an operation may make.
      expect(Object.fromEntries(seen)).toEqual({
        3: new Set([code]),
        2: new Set([code]),
        0: new Set(['OVERLOADED']),
      });
    },
  );

  test('is tried again each second, even while the call that tries hangs', async () => {
    let isDown = true;
    await using upstream = await startUpstream(({ line }) => {
      if (isDown) return { status: 500 };
      return line.endsWith('/first') ? { delayMs: 600_000 } : { body: wireMessage('m0') };
    });
    await using gateway = await startTestGateway(upstream.url, {
      REST_RETRIES: '0',
      OPERATION_TIMEOUT_MS: '600000',
      REST_TIMEOUT_MS: '600000',
    });
    const leaving = new AbortController();
    const ask = async (id: string, options: AskOptions = {}) =>
      (await gateway.ask(`{ message(id: "${id}") { id } }`, options)).data.message;
    await gateway.ask(reads(20));
    isDown = false;
    await new Promise((resolve) => setTimeout(resolve, 1010));

    const first = ask('first', { signal: leaving.signal });
    await expect.poll(() => upstream.lines()).toContain('GET /v1/messages/first');

    await expect.poll(() => ask('second')).toEqual({ id: 'm0' });
    leaving.abort();
    await expect(first).rejects.toThrow();
  });
});

describe('the circuit', () => {
  /** The error codes of a read by another caller. */
  const codesForBob = async (gateway: TestGateway) =>
    codes(await gateway.ask(READ, { token: 'bob-token' }));
  /** Answers Bob's read at once, and all others slowly. */
  const startBusy = (delayMs: number) =>
    startUpstream(({ line }) => {
      return { body: wireMessage('m0'), ...(!line.endsWith('/m0') && { delayMs }) };
    });

  test('stays closed after writes that had no turn in the time of their operation', async () => {
    await using upstream = await startBusy(500);
    await using gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '2250',
    });
    const writes = Array.from(
      { length: 40 },
      (_, index) =>
        `w${index}: sendMessage(input: { conversationId: "c1", message: "x" }) { message { id } }`,
    );

    const crowd = await gateway.ask(`mutation { ${writes.join(' ')} }`);

    expect(Object.values(codes(crowd)).length).toBeGreaterThan(30);
    expect(await codesForBob(gateway)).toEqual({});
    // One was cut off, and may have been carried out; the others were certainly not sent.
    const open = crowd.errors?.filter(({ extensions }) => 'outcome' in extensions);
    expect(open).toHaveLength(1);
  });

  test.each([
    ['of their operation', { OPERATION_TIMEOUT_MS: '2250' }, 500],
    ['of a call', { REST_TIMEOUT_MS: '3000' }, 60_000],
  ])(
    'stays closed after reads that only waited for a connection until half the time %s was up',
    async (_whose, times, delayMs) => {
      await using upstream = await startBusy(delayMs);
      await using gateway = await startTestGateway(upstream.url, {
        ...times,
        REST_CONNECTIONS: '4',
      });

      const crowd = await gateway.ask(reads(100, 'x'));

      expect(Object.values(codes(crowd)).length).toBeGreaterThan(60);
      expect(new Set(Object.values(codes(crowd)))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
      expect(await codesForBob(gateway)).toEqual({});
    },
  );

  test('stays closed after reads that began late in the time of their operation', async () => {
    const page = wirePage(
      Array.from({ length: 30 }, (_, i) => wireConversation(`c${i}`)),
    );
    await using upstream = await startUpstream(({ line }) => {
      if (line.endsWith('/m0')) return { body: wireMessage('m0') };
      return line.startsWith('GET /v1/conversations')
        ? { body: page, delayMs: 1800 }
        : { delayMs: 60_000 };
    });
    await using gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '3000',
    });

    const late = await gateway.ask(
      '{ conversations(first: 30) { nodes { messages(first: 1) { nodes { id } } } } }',
    );

    expect(upstream.lines()).toHaveLength(1 + 30);
    expect(new Set(Object.values(codes(late)))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    expect(codes(await gateway.ask(READ))).toEqual({});
  });

  test('opens when connections are refused', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const refused = await gateway.ask(reads(25));

    expect(Object.values(codes(refused))).toContain('UPSTREAM_UNREACHABLE');
    expect(await codesForBob(gateway)).toEqual({ message: 'OVERLOADED' });
  });

  test('opens when connections are never established', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    // It never answers the TLS handshake, so no connection of the pool opens.
    await using gateway = await startTestGateway(`https://127.0.0.1:${port}`, {
      OPERATION_TIMEOUT_MS: '1000',
    });

    const waited = await gateway.ask(reads(25));

    expect(new Set(Object.values(codes(waited)))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    expect(await codesForBob(gateway)).toEqual({ message: 'OVERLOADED' });
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });
});

test('calls beyond REST_CONNECTIONS and REST_QUEUE are refused at once, and the others are answered', async () => {
  await using upstream = await startUpstream(({ line }) => ({
    body: wireMessage(line.split('/').at(-1) ?? ''),
    delayMs: 100,
  }));
  await using gateway = await startTestGateway(upstream.url, {
    REST_CONNECTIONS: '2',
    REST_QUEUE: '3',
  });

  const answer = await gateway.ask(reads(9));
  const after = await gateway.ask('{ message(id: "m1") { id } }');

  const refused = Object.values(codes(answer));
  expect(refused).toEqual(Array(4).fill('OVERLOADED'));
  expect(answer.errors?.[0]?.extensions.retryAfterSeconds).toBe(1);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(after.headers.has('retry-after')).toBe(false);
  expect(upstream.lines()).toHaveLength(6);
  expect(after.data).toEqual({ message: { id: 'm1' } });
});

test.each(['REST_TIMEOUT_MS', 'OPERATION_TIMEOUT_MS'])(
  'a call that gets a connection too late is not sent, and all that are sent are answered: %s',
  async (setting) => {
    await using upstream = await startUpstream(({ line }) => ({
      body: wireMessage(line.split('/').at(-1) ?? ''),
      delayMs: 400,
    }));
    await using gateway = await startTestGateway(upstream.url, {
      REST_CONNECTIONS: '1',
      [setting]: '2000',
    });

    const answer = await gateway.ask(reads(12));

    const answered = Object.values(answer.data).filter((message) => message !== null);
    expect(upstream.lines()).toHaveLength(answered.length);
    expect(upstream.aborted).toEqual([]);
    for (const { message } of answer.errors ?? [])
      expect(message).toContain('it waited longer than 1000 ms for a connection');
  },
);

test('a call that has waited for a connection then has all of its time', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 700 }),
    'GET /v1/messages/m2': answering({ body: wireMessage('m2'), delayMs: 1500 }),
  });
  await using gateway = await startTestGateway(upstream.url, {
    REST_CONNECTIONS: '1',
    REST_TIMEOUT_MS: '2000',
  });

  const { data } = await gateway.ask(
    '{ a: message(id: "m1") { id } b: message(id: "m2") { id } }',
  );

  expect(data).toEqual({ a: { id: 'm1' }, b: { id: 'm2' } });
});

test('a call that has waited for its turn and is then repeated has as much time again, and no more', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': [answering({ delayMs: 100 }), wireMessage('m1')],
    'GET /v1/messages/m2': [answering({ status: 503 }), answering({ delayMs: 600_000 })],
  });
  await using gateway = await startTestGateway(upstream.url, {
    REST_CONNECTIONS: '1',
    REST_TIMEOUT_MS: '2000',
    OPERATION_TIMEOUT_MS: '600000',
  });

  const [, answer] = await Promise.all([
    gateway.ask('{ message(id: "m1") { id } }'),
    gateway.ask('{ message(id: "m2") { id } }'),
  ]);

  expect(codes(answer)).toEqual({ message: 'UPSTREAM_TIMEOUT' });
  expect(upstream.calls).toHaveLength(3);
  expect(answer.errors?.[0]?.message).toContain('REST_TIMEOUT_MS');
});

describe('a call that is answered 429', () => {
  const LIMITED = answering({ status: 429, headers: { 'retry-after': '1' } });

  test('is repeated when the service says, if it is a read', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': [LIMITED, wireMessage('m1')],
    });
    await using gateway = await startTestGateway(upstream.url);
    const before = performance.now();

    const { data } = await gateway.ask('{ message(id: "m1") { id } }');

    expect(data).toEqual({ message: { id: 'm1' } });
    expect(upstream.calls).toHaveLength(2);
    expect(performance.now() - before).toBeGreaterThanOrEqual(1000);
  });

  test.each([
    ['if its operation ends before', '60'],
    ['if the service does not say when', undefined],
  ])('is not repeated %s', async (_when, seconds) => {
    const headers = seconds === undefined ? {} : { 'retry-after': seconds };
    await using upstream = await startUpstream(() => ({ status: 429, headers }));
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask('{ message(id: "m1") { id } }');

    expect(codes(answer)).toEqual({ message: 'RATE_LIMITED' });
    expect(answer.headers.get('retry-after')).toBe(seconds ?? null);
    expect(upstream.calls).toHaveLength(1);
  });

  test('is not repeated if it is a write', async () => {
    await using upstream = await startUpstream({ 'DELETE /v1/messages/m1': LIMITED });
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask(
      'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }',
    );

    expect(codes(answer)).toEqual({ deleteMessage: 'RATE_LIMITED' });
    expect(upstream.calls).toHaveLength(1);
  });
});
