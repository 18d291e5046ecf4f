import { describe, expect, test } from 'vitest';
import { codes, reads, startScripted, startTestGateway } from '../support/gateway.ts';
import { servePlain } from '../support/http.ts';
import { readMetric } from '../support/metrics.ts';
import { answering, type UpstreamAnswer } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const READ = '{ message(id: "m0") { id } }';
const READ_DATA = { message: { id: 'm0' } };

describe('a failing service', () => {
  // security: failing-service
  test('gets no calls: reads and writes are refused at once, until it is tried again within a second', async () => {
    let isDown = true;
    await using gateway = await startScripted(
      () => (isDown ? { status: 500 } : { body: wireMessage('m0') }),
      { REST_RETRIES: '0' },
    );
    const state = () => readMetric(gateway, 'gateway_breaker_state');
    const closed = {
      '{state="closed"}': 1,
      '{state="open"}': 0,
      '{state="half-open"}': 0,
    };
    expect(await state()).toEqual(closed);
    await gateway.ask(reads(25));
    const before = gateway.service.calls.length;

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
    expect(await readiness.json()).toMatchObject({ service: 'fails' });
    expect(await state()).toMatchObject({ '{state="closed"}': 0, '{state="open"}': 1 });
    expect(gateway.service.calls).toHaveLength(before);
    isDown = false;
    await expect.poll(async () => (await gateway.ask(READ)).data).toEqual(READ_DATA);
  });

  test.each<[UpstreamAnswer, code: string]>([
    [{ status: 503 }, 'UPSTREAM_ERROR'],
    [{ broken: 'before' }, 'UPSTREAM_UNREACHABLE'],
  ])(
    'causes its own error if the circuit opens before a retry: %j',
    async (answer, code) => {
      await using gateway = await startScripted(answering(answer));
      const { calls } = gateway.service;

      const seen = new Map<number, Set<string | undefined>>();
      for (let turn = 0; turn < 9; turn += 1) {
        const before = calls.length;
        const { message } = codes(await gateway.ask(READ));
        const sent = calls.length - before;
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
});

describe('the circuit', () => {
  test('opens when connections are never established', async () => {
    // It never answers the TLS handshake, so no connection of the pool opens.
    await using silent = await servePlain();
    await using gateway = await startTestGateway(`https://127.0.0.1:${silent.port}`, {
      OPERATION_TIMEOUT_MS: '500',
    });

    const waited = await gateway.ask(reads(25));

    expect(new Set(Object.values(codes(waited)))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    expect(codes(await gateway.ask(READ, { token: 'bob-token' }))).toEqual({
      message: 'OVERLOADED',
    });
  });
});

// security: failing-service
test('calls beyond REST_CONNECTIONS and REST_QUEUE are refused at once, and the others are answered', async () => {
  await using gateway = await startScripted(
    ({ line }) => {
      const id = line.split('/').at(-1) ?? '';
      return { body: wireMessage(id), together: /^m[01]$/.test(id) ? 2 : 0 };
    },
    { REST_CONNECTIONS: '2', REST_QUEUE: '3' },
  );
  const { service } = gateway;

  const answer = await gateway.ask(reads(9));
  const after = await gateway.ask('{ message(id: "m9") { id } }');

  expect(Object.values(codes(answer))).toEqual(Array(4).fill('OVERLOADED'));
  expect(answer.errors?.[0]?.extensions.retryAfterSeconds).toBe(1);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(after.headers.has('retry-after')).toBe(false);
  expect([service.calls.length, service.mostAtOnce, service.connections]).toEqual([
    6, 2, 2,
  ]);
  expect(after.data).toEqual({ message: { id: 'm9' } });
});

describe('a call that is answered with Retry-After', () => {
  test.each([429, 503])(
    'is repeated when the service says, if it is a read: %i',
    async (status) => {
      const later = answering({ status, headers: { 'retry-after': '1' } });
      await using gateway = await startScripted({
        'GET /v1/messages/m1': [later, wireMessage('m1')],
      });
      const before = performance.now();

      const { data } = await gateway.ask('{ message(id: "m1") { id } }');

      expect(data).toEqual({ message: { id: 'm1' } });
      expect(gateway.service.calls).toHaveLength(2);
      expect(performance.now() - before).toBeGreaterThanOrEqual(1000);
    },
  );

  const DELETE = 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';

  test.each<[number, string, string, Record<string, string>, number | undefined]>([
    [429, 'if its operation ends before', READ, { 'retry-after': '60' }, 60],
    [503, 'if its operation ends before', READ, { 'retry-after': '60' }, undefined],
    [429, 'if the service does not say when', READ, {}, undefined],
    [429, 'if it is a write', DELETE, { 'retry-after': '1' }, 1],
  ])('is not repeated after a %i %s', async (status, _, query, headers, seconds) => {
    await using gateway = await startScripted(answering({ status, headers }));

    const answer = await gateway.ask(query);

    const code = status === 429 ? 'RATE_LIMITED' : 'UPSTREAM_ERROR';
    expect(Object.values(codes(answer))).toEqual([code]);
    expect(answer.errors?.[0]?.extensions.retryAfterSeconds).toBe(seconds);
    expect(answer.headers.get('retry-after')).toBe(seconds ? `${seconds}` : null);
    expect(gateway.service.calls).toHaveLength(1);
  });

  test('is repeated at once after a 503 that asks for no wait, however little time is left', async () => {
    const later = answering({ status: 503, headers: { 'retry-after': '0' } });
    await using gateway = await startScripted(
      { 'GET /v1/messages/m1': [later, wireMessage('m1')] },
      { OPERATION_TIMEOUT_MS: '900' },
    );

    const { data } = await gateway.ask('{ message(id: "m1") { id } }');

    expect(data).toEqual({ message: { id: 'm1' } });
  });
});
