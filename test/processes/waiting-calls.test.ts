import { expect, test } from 'vitest';
import { codes, startScripted } from '../support/gateway.ts';
import { answering } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

// security: overload
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
