import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

test('a service that follows the interface has no drift', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages': wirePage([wireMessage('m1')]),
    'GET /v1/conversations/c1': wireConversation('c1'),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask('{ messages { nodes { id } } conversation(id: "c1") { id } }');

  expect(gateway.drift()).toEqual([]);
});

test('unknown fields, and missing fields of the interface, are counted', async () => {
  const { read_at, ...message } = wireMessage('m1', {
    mood: 'good',
    contact: wireContact({ age: 3 }),
  });
  const { is_muted, ...conversation } = wireConversation('c1');
  await using upstream = await startUpstream({
    'GET /v1/messages': { ...wirePage([message, message]), total: 2 },
    'GET /v1/conversations/c1': conversation,
  });
  await using gateway = await startTestGateway(upstream.url);

  const { data } = await gateway.ask(
    '{ messages { nodes { readAt } } conversation(id: "c1") { createdAt } }',
  );

  expect(data).toEqual({
    messages: { nodes: [{ readAt: null }, { readAt: null }] },
    conversation: null,
  });
  expect(gateway.drift().toSorted((a, b) => (a.field < b.field ? -1 : 1))).toEqual([
    { object: 'Contact', field: 'age', kind: 'unknown', count: 2 },
    { object: 'Conversation', field: 'is_muted', kind: 'missing', count: 1 },
    { object: 'Message', field: 'mood', kind: 'unknown', count: 2 },
    { object: 'Message', field: 'read_at', kind: 'missing', count: 2 },
    { object: 'List', field: 'total', kind: 'unknown', count: 1 },
  ]);
});

test('the names of unknown fields are bounded in number and length, and without the token', async () => {
  let turn = 0;
  await using upstream = await startUpstream(() => {
    turn += 1;
    const unknown = Array.from({ length: 400 }, (_, index) => [`f${turn}-${index}`, 1]);
    return {
      body: wireMessage('m1', {
        ...Object.fromEntries(unknown),
        'x-ann-token': 1,
        ['long'.repeat(100_000)]: 1,
      }),
    };
  });
  await using gateway = await startTestGateway(upstream.url);

  while (turn < 5) await gateway.ask('{ message(id: "m1") { message } }');

  const drift = gateway.drift();
  expect(drift.length).toBeLessThanOrEqual(1001);
  expect(drift.find(({ field }) => field === '(others)')?.count).toBeGreaterThan(500);
  const names = drift.map(({ field }) => field);
  expect(names).toContain('x-[redacted]');
  expect(names).toContain('long'.repeat(25));
  expect(Math.max(...names.map(({ length }) => length))).toBe(100);
});
