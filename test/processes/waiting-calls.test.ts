import { describe, expect, test } from 'vitest';
import { codes, reads, startScripted } from '../support/gateway.ts';
import { answering } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const READ = '{ message(id: "m0") { id } }';

describe('the circuit', () => {
  test('stays closed after calls that only waited for a connection', async () => {
    await using gateway = await startScripted(
      ({ line }) => ({
        body: wireMessage('m0'),
        delayMs: line.endsWith('/m0') ? 0 : 60_000,
      }),
      { REST_TIMEOUT_MS: '2500', REST_CONNECTIONS: '4' },
    );

    const crowd = await gateway.ask(reads(100, 'x'));

    expect(Object.values(codes(crowd)).length).toBeGreaterThan(60);
    expect(new Set(Object.values(codes(crowd)))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    expect(codes(await gateway.ask(READ, { token: 'bob-token' }))).toEqual({});
  });

  test('stays closed after reads that began late in the time of their operation', async () => {
    const page = wirePage(
      Array.from({ length: 30 }, (_, i) => wireConversation(`c${i}`)),
    );
    await using gateway = await startScripted(
      {
        'GET /v1/messages/m0': wireMessage('m0'),
        'GET /v1/conversations': answering({ body: page, delayMs: 1800 }),
        'GET /v1/messages': answering({ delayMs: 60_000 }),
      },
      { OPERATION_TIMEOUT_MS: '3000' },
    );

    const late = await gateway.ask(
      '{ conversations(first: 30) { nodes { messages(first: 1) { nodes { id } } } } }',
    );

    expect(gateway.service.lines()).toHaveLength(1 + 30);
    expect(new Set(Object.values(codes(late)))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    expect(codes(await gateway.ask(READ))).toEqual({});
  });
});

test.each(['REST_TIMEOUT_MS', 'OPERATION_TIMEOUT_MS'])(
  'a call that gets a connection too late is not sent, and all that are sent are answered: %s',
  async (setting) => {
    await using gateway = await startScripted(
      ({ line }) => ({ body: wireMessage(line.split('/').at(-1) ?? ''), delayMs: 400 }),
      { REST_CONNECTIONS: '1', [setting]: '2000' },
    );

    const answer = await gateway.ask(reads(12));

    const answered = Object.values(answer.data).filter((message) => message !== null);
    expect(gateway.service.lines()).toHaveLength(answered.length);
    expect(gateway.service.aborted).toEqual([]);
    for (const { message } of answer.errors ?? [])
      expect(message).toContain('it waited longer than 1000 ms for a connection');
  },
);

test('a call that has waited for a connection then has all of its time', async () => {
  await using gateway = await startScripted(
    {
      'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 700 }),
      'GET /v1/messages/m2': answering({ body: wireMessage('m2'), delayMs: 1500 }),
    },
    { REST_CONNECTIONS: '1', REST_TIMEOUT_MS: '2000' },
  );

  const { data } = await gateway.ask(
    '{ a: message(id: "m1") { id } b: message(id: "m2") { id } }',
  );

  expect(data).toEqual({ a: { id: 'm1' }, b: { id: 'm2' } });
});

test('a call that has waited for its turn and is then repeated has as much time again, and no more', async () => {
  await using gateway = await startScripted(
    {
      'GET /v1/messages/m1': [answering({ delayMs: 100 }), wireMessage('m1')],
      'GET /v1/messages/m2': [
        answering({ status: 503 }),
        answering({ delayMs: 600_000 }),
      ],
    },
    { REST_CONNECTIONS: '1', REST_TIMEOUT_MS: '1000', OPERATION_TIMEOUT_MS: '600000' },
  );

  const [, answer] = await Promise.all([
    gateway.ask('{ message(id: "m1") { id } }'),
    gateway.ask('{ message(id: "m2") { id } }'),
  ]);

  expect(codes(answer)).toEqual({ message: 'UPSTREAM_TIMEOUT' });
  expect(gateway.service.calls).toHaveLength(3);
  expect(answer.errors?.[0]?.message).toContain('REST_TIMEOUT_MS');
});
