import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

test('a service that keeps to its interface has no drift', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages': wirePage([wireMessage('m1')]),
    'GET /v1/conversations/c1': wireConversation('c1'),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask('{ messages { nodes { id } } conversation(id: "c1") { id } }');

  expect(gateway.drift()).toEqual([]);
});

test('fields the interface does not name, and promised ones that are missing, are counted', async () => {
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

test('field names without end fill no memory, and none tells a token', async () => {
  let asked = 0;
  await using upstream = await startUpstream(() => {
    asked += 1;
    const names = Array.from({ length: 400 }, (_, index) => [`f${asked}-${index}`, 1]);
    return {
      body: wireMessage('m1', { ...Object.fromEntries(names), 'x-ann-token': 1 }),
    };
  });
  await using gateway = await startTestGateway(upstream.url);

  for (let turn = 0; turn < 5; turn += 1)
    await gateway.ask('{ message(id: "m1") { message } }');

  expect(gateway.drift().length).toBeLessThanOrEqual(1001);
  expect(
    gateway.drift().find(({ field }) => field === '(others)')?.count,
  ).toBeGreaterThan(500);
  expect(gateway.drift().map(({ field }) => field)).toContain('x-[redacted]');
});
