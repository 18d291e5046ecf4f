import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { codes, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const fields = (count: number, prefix = 'm') =>
  `{ ${Array.from({ length: count }, (_, index) => `f${index}: message(id: "${prefix}${index}") { id }`).join(' ')} }`;

describe('a service that fails', () => {
  test('is spared: calls are refused at once, reads and writes, and it is tried again within a second', async () => {
    let isDown = true;
    await using upstream = await startUpstream(() =>
      isDown ? { status: 500 } : { body: wireMessage('m0') },
    );
    await using gateway = await startTestGateway(upstream.url, { REST_RETRIES: '0' });
    await gateway.ask(fields(25));
    const before = upstream.calls.length;

    const read = await gateway.ask('{ message(id: "m0") { id } }');
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
    }
    expect([health.status, readiness.status]).toEqual([200, 200]);
    expect(upstream.calls).toHaveLength(before);
    isDown = false;
    await expect
      .poll(async () => (await gateway.ask('{ message(id: "m0") { id } }')).data, {
        timeout: 3000,
      })
      .toEqual({ message: { id: 'm0' } });
  });

  test('with 4xx is not taken to be down', async () => {
    await using upstream = await startUpstream(() => ({ status: 403 }));
    await using gateway = await startTestGateway(upstream.url);

    await gateway.ask(fields(40));

    expect(codes(await gateway.ask('{ message(id: "m0") { id } }'))).toEqual({
      message: 'FORBIDDEN',
    });
  });

  test('by silence is spared too, though it is the operations whose time runs out', async () => {
    await using upstream = await startUpstream(() => ({ delayMs: 30_000 }));
    await using gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '100',
    });

    const slow = await gateway.ask(fields(25));
    const spared = await gateway.ask('{ message(id: "m0") { id } }');

    expect(new Set(Object.values(codes(slow)))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    expect(codes(spared)).toEqual({ message: 'OVERLOADED' });
  });

  test('says what it said, not that nothing was sent, when a retry meets the open circuit', async () => {
    for (const [answer, code] of [
      [{ status: 503 }, 'UPSTREAM_ERROR'],
      [{ broken: 'before' }, 'UPSTREAM_UNREACHABLE'],
    ] as const) {
      await using upstream = await startUpstream(() => answer);
      await using gateway = await startTestGateway(upstream.url);

      const seen = new Map<number, Set<string | undefined>>();
      for (let turn = 0; turn < 9; turn += 1) {
        const before = upstream.calls.length;
        const { message } = codes(await gateway.ask('{ message(id: "m0") { id } }'));
        const sent = upstream.calls.length - before;
        seen.set(sent, (seen.get(sent) ?? new Set()).add(message));
      }

      // The twentieth call, which opens the circuit, is the second of an operation that might make three.
      expect(Object.fromEntries(seen)).toEqual({
        3: new Set([code]),
        2: new Set([code]),
        0: new Set(['OVERLOADED']),
      });
    }
  });

  test('is tried again each second, though the call that looks hangs', async () => {
    let isDown = true;
    await using upstream = await startUpstream(({ line }) => {
      if (isDown) return { status: 500 };
      return line.endsWith('/first') ? { delayMs: 60_000 } : { body: wireMessage('m0') };
    });
    await using gateway = await startTestGateway(upstream.url, {
      REST_RETRIES: '0',
      OPERATION_TIMEOUT_MS: '8000',
    });
    const ask = async (id: string) =>
      (await gateway.ask(`{ message(id: "${id}") { id } }`)).data.message;
    await gateway.ask(fields(20));
    isDown = false;
    await new Promise((resolve) => setTimeout(resolve, 1010));

    const first = ask('first');
    await expect.poll(() => upstream.lines()).toContain('GET /v1/messages/first');
    const before = performance.now();
    await expect.poll(() => ask('second')).toEqual({ id: 'm0' });

    expect(performance.now() - before).toBeLessThan(4000);
    expect(await first).toBeNull();
  });
});

describe('a call that was never sent says nothing of the service:', () => {
  /** Whether somebody else's read is let through, rather than refused. */
  const isServed = async (gateway: TestGateway) =>
    codes(await gateway.ask('{ message(id: "m0") { id } }', { token: 'bob-token' }));
  /** Slow for the callers of a crowd, quick for anybody else. */
  const startBusy = (delayMs: number) =>
    startUpstream(({ line }) => {
      const isOne = line.endsWith('/m0');
      return { body: wireMessage('m0'), ...(!isOne && { delayMs }) };
    });

  test('writes whose turn never came in the time of their operation', async () => {
    await using upstream = await startBusy(100);
    await using gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '450',
    });
    const writes = Array.from(
      { length: 40 },
      (_, index) =>
        `w${index}: sendMessage(input: { conversationId: "c1", message: "x" }) { message { id } }`,
    );

    const crowd = await gateway.ask(`mutation { ${writes.join(' ')} }`);

    expect(Object.values(codes(crowd)).length).toBeGreaterThan(30);
    expect(await isServed(gateway)).toEqual({});
    // One of them was cut off, and may have been carried out; of the others it is known that they were not.
    const open = crowd.errors?.filter(({ extensions }) => 'outcome' in extensions);
    expect(open).toHaveLength(1);
  });

  test.each([
    ['of their operation', { OPERATION_TIMEOUT_MS: '450' }, 100],
    ['of a call', { REST_TIMEOUT_MS: '1000' }, 60_000],
  ])(
    'reads that waited for a connection until the time %s was up',
    async (_whose, times, delayMs) => {
      await using upstream = await startBusy(delayMs);
      await using gateway = await startTestGateway(upstream.url, {
        ...times,
        REST_CONNECTIONS: '4',
      });

      const crowd = await gateway.ask(fields(100, 'x'));

      expect(Object.values(codes(crowd)).length).toBeGreaterThan(60);
      expect(new Set(Object.values(codes(crowd)))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
      expect(await isServed(gateway)).toEqual({});
    },
  );

  test('but not where no connection could be had: refused', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');

    const refused = await gateway.ask(fields(25));

    expect(Object.values(codes(refused))).toContain('UPSTREAM_UNREACHABLE');
    expect(await isServed(gateway)).toEqual({ message: 'OVERLOADED' });
  });

  test('but not where no connection could be had: never answered', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    // It never takes its part in the handshake of TLS: no connection of the pool is ever open.
    await using gateway = await startTestGateway(`https://127.0.0.1:${port}`, {
      OPERATION_TIMEOUT_MS: '300',
    });

    const waited = await gateway.ask(fields(25));

    expect(new Set(Object.values(codes(waited)))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    expect(await isServed(gateway)).toEqual({ message: 'OVERLOADED' });
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });
});

test('calls beyond the connections and REST_QUEUE are refused at once, and the others served', async () => {
  await using upstream = await startUpstream(({ line }) => ({
    body: wireMessage(line.split('/').at(-1) ?? ''),
    delayMs: 100,
  }));
  await using gateway = await startTestGateway(upstream.url, {
    REST_CONNECTIONS: '2',
    REST_QUEUE: '3',
  });

  const answer = await gateway.ask(fields(9));
  const after = await gateway.ask('{ message(id: "m1") { id } }');

  const refused = Object.values(codes(answer));
  expect(refused).toEqual(Array(4).fill('OVERLOADED'));
  expect(answer.errors?.[0]?.extensions.retryAfterSeconds).toBe(1);
  expect(upstream.lines()).toHaveLength(6);
  expect(after.data).toEqual({ message: { id: 'm1' } });
});

describe('a read that is answered 429', () => {
  const LIMITED = answering({ status: 429, headers: { 'retry-after': '1' } });

  test('is asked again when the time has come', async () => {
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
    ['after the deadline', '60'],
    ['never', undefined],
  ])(
    'is not asked again when the service says to come back %s',
    async (_when, seconds) => {
      const headers = seconds === undefined ? {} : { 'retry-after': seconds };
      await using upstream = await startUpstream(() => ({ status: 429, headers }));
      await using gateway = await startTestGateway(upstream.url);

      const answer = await gateway.ask('{ message(id: "m1") { id } }');

      expect(codes(answer)).toEqual({ message: 'RATE_LIMITED' });
      expect(upstream.calls).toHaveLength(1);
    },
  );

  test('a write is never asked again', async () => {
    await using upstream = await startUpstream({ 'DELETE /v1/messages/m1': LIMITED });
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask(
      'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }',
    );

    expect(codes(answer)).toEqual({ deleteMessage: 'RATE_LIMITED' });
    expect(upstream.calls).toHaveLength(1);
  });
});
