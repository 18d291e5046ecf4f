import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { readMetric } from '../support/metrics.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const MESSAGE = '{ message(id: "m1") { message } }';
const SLOW = {
  'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
  'GET /v1/messages/m2': wireMessage('m2'),
};

describe('two operations', () => {
  test('share a GET with the same token that is under way', async () => {
    await using upstream = await startUpstream(SLOW);
    await using gateway = await startTestGateway(upstream.url);

    const answers = await Promise.all([gateway.ask(MESSAGE), gateway.ask(MESSAGE)]);

    expect(answers.map(({ data }) => data.message.message)).toEqual([
      'text m1',
      'text m1',
    ]);
    expect(upstream.calls).toHaveLength(1);
  });

  test('with different tokens share nothing', async () => {
    await using upstream = await startUpstream(({ token }) => ({
      body: wireMessage('m1', { message: `for ${token}` }),
      delayMs: 50,
    }));
    await using gateway = await startTestGateway(upstream.url);

    const [ann, bob] = await Promise.all([
      gateway.ask(MESSAGE, { token: 'ann-token' }),
      gateway.ask(MESSAGE, { token: 'bob-token' }),
    ]);

    expect(ann.data.message.message).toBe('for Bearer ann-token');
    expect(bob.data.message.message).toBe('for Bearer bob-token');
    expect(upstream.calls.map(({ token }) => token).sort()).toEqual([
      'Bearer ann-token',
      'Bearer bob-token',
    ]);
  });

  test('one after the other share nothing', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
    });
    await using gateway = await startTestGateway(upstream.url);

    await gateway.ask(MESSAGE);
    await gateway.ask(MESSAGE);

    expect(upstream.calls).toHaveLength(2);
  });

  test('keep a shared GET when the client that began it leaves', async () => {
    await using upstream = await startUpstream(SLOW);
    await using gateway = await startTestGateway(upstream.url);
    const leaving = new AbortController();

    const first = gateway.ask(MESSAGE, { signal: leaving.signal });
    await expect.poll(() => upstream.calls.length).toBe(1);
    const second = gateway.ask(MESSAGE);
    await sleep(30);
    leaving.abort();

    await expect(first).rejects.toThrow();
    expect((await second).data.message.message).toBe('text m1');
    expect(upstream.calls).toHaveLength(1);
    expect(upstream.aborted).toEqual([]);
  });

  test.each([
    ['succeeded', { body: wireMessage('m1', { message: 'new' }) }],
    ['failed', { status: 500 }],
    ['was cut off', { broken: 'before' } as const],
  ])('do not share a GET from before a write that %s', async (_how, written) => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': [
        answering({ body: wireMessage('m1', { message: 'old' }), delayMs: 300 }),
        wireMessage('m1', { message: 'new' }),
      ],
      'PUT /v1/messages/m1': answering(written),
    });
    await using gateway = await startTestGateway(upstream.url);

    const before = gateway.ask(MESSAGE);
    await expect.poll(() => upstream.calls.length).toBe(1);
    await gateway.ask(
      'mutation { updateMessage(input: { id: "m1", message: "new" }) { message { id } } }',
    );
    const after = await gateway.ask(MESSAGE);

    expect(after.data.message.message).toBe('new');
    expect((await before).data.message.message).toBe('old');
  });
});

test('thousands of operations that wait for one GET leave room for others: the rest is OVERLOADED', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using upstream = await startUpstream(async ({ line }) => {
    if (line.endsWith('m1')) await released;
    return { body: wireMessage('m1') };
  });
  await using gateway = await startTestGateway(upstream.url, {
    REST_TIMEOUT_MS: '60000',
    OPERATION_TIMEOUT_MS: '60000',
  });
  await gateway.ask('{ message(id: "m0") { id } }');
  const { hostname, port } = new URL(gateway.url);
  const query = encodeURIComponent(MESSAGE);
  const request = `GET /graphql?query=${query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ann-token\r\n\r\n`;
  let answers = '';
  const sockets = Array.from({ length: 70 }, () =>
    connect(Number(port), hostname).on('data', (part) => {
      answers += part;
    }),
  );
  const count = (text: string) => answers.split(text).length - 1;
  const countOverloaded = async () => {
    const operations = await readMetric(gateway, 'gateway_operations_total');
    return operations['{type="query",codes="OVERLOADED"}'];
  };

  for (const socket of sockets) socket.write(request.repeat(50));
  await expect.poll(countOverloaded).toBe(299);
  release();
  await expect.poll(() => count('HTTP/1.1 200')).toBe(3500);
  for (const socket of sockets) socket.destroy();

  expect(count('"text m1"')).toBe(3201);
  expect(count('"OVERLOADED"')).toBe(299);
  expect(upstream.calls).toHaveLength(2);
});

test('a connection is closed over which dozens of requests arrive before the first is answered', async () => {
  await using upstream = await startUpstream(() => new Promise(() => {}));
  await using gateway = await startTestGateway(upstream.url);
  const { hostname, port } = new URL(gateway.url);
  const request = `GET /graphql?query=${encodeURIComponent(MESSAGE)} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ann-token\r\n\r\n`;
  const socket = connect(Number(port), hostname);

  socket.write(request.repeat(64));
  await sleep(300);
  expect(socket.readableEnded).toBe(false);
  socket.resume().write(request);
  await once(socket, 'close');

  await expect.poll(() => upstream.aborted).toHaveLength(1);
});

test('the calls of a client that leaves are aborted', async () => {
  await using upstream = await startUpstream(() => ({ body: {}, delayMs: 5000 }));
  await using gateway = await startTestGateway(upstream.url);
  const leaving = new AbortController();

  const asked = gateway.ask(
    '{ a: message(id: "m1") { id } b: conversation(id: "c1") { id } }',
    { signal: leaving.signal },
  );
  await expect.poll(() => upstream.calls.length).toBe(2);
  leaving.abort();

  await expect(asked).rejects.toThrow();
  await expect
    .poll(() => upstream.aborted.toSorted())
    .toEqual(['GET /v1/conversations/c1', 'GET /v1/messages/m1']);
});

const waiting = Array.from(
  { length: 20 },
  (_, i) => `w${i}: message(id: "w${i}") { id }`,
);

test.each([
  ['a write', 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }'],
  ['twenty reads', `{ ${waiting.join(' ')} }`],
])(
  'a call that waits for a connection when its client leaves is never sent: %s',
  async (_what, query) => {
    await using upstream = await startUpstream(SLOW);
    await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '1' });
    const leaving = new AbortController();

    const slow = gateway.ask(MESSAGE);
    await expect.poll(() => upstream.calls.length).toBe(1);
    const asked = gateway.ask(query, { token: 'bob-token', signal: leaving.signal });
    await sleep(100);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await slow;
    await gateway.ask('{ message(id: "m2") { id } }');

    expect(upstream.lines()).toEqual(['GET /v1/messages/m1', 'GET /v1/messages/m2']);
    expect(upstream.connections).toBe(1);
  },
);
