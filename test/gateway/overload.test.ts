import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
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
