import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createTestGateway } from '../library/support.ts';
import { startTestGateway } from '../support/gateway.ts';
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
  await using gateway = await createTestGateway(upstream.url, {
    restTimeoutMs: 60_000,
    operationTimeoutMs: 60_000,
  });
  const token = 'ann-token';
  await gateway.execute({ query: '{ message(id: "m0") { id } }', token });
  const results: string[] = [];
  const count = (text: string) => results.filter((one) => one.includes(text)).length;

  const all = Array.from({ length: 3500 }, async () => {
    results.push(JSON.stringify(await gateway.execute({ query: MESSAGE, token })));
  });
  await expect.poll(() => results.length).toBe(299);
  release();
  await Promise.all(all);

  expect(count('"text m1"')).toBe(3201);
  expect(count('"OVERLOADED"')).toBe(299);
  expect(upstream.calls).toHaveLength(2);
});

describe('requests that arrive over one connection before the first is answered', () => {
  const get = (query: string) =>
    `GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ann-token\r\n\r\n`;
  const post = (query: string) => {
    const body = JSON.stringify({ query });
    return `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ann-token\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const message = (index: number) => `{ message(id: "m${index}") { id } }`;
  const connectTo = ({ url }: { readonly url: string }) =>
    connect(Number(new URL(url).port), new URL(url).hostname).on('error', () => {});

  test.each([
    ['GETs', get],
    ['POSTs', post],
  ])('are answered in their order, one after the other: %s', async (_what, toRequest) => {
    await using upstream = await startUpstream(({ line }) => ({
      body: wireMessage(line.replace(/.*\//, '')),
      delayMs: line.endsWith('m1') ? 50 : 0,
    }));
    await using gateway = await startTestGateway(upstream.url);
    const ids = Array.from({ length: 200 }, (_, index) => index);
    const socket = connectTo(gateway);
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });

    socket.write(ids.map((id) => toRequest(message(id))).join(''));
    await expect.poll(() => text).toContain('"m199"');
    socket.destroy();

    expect([...text.matchAll(/"m(\d+)"/g)].map(([, id]) => Number(id))).toEqual(ids);
    expect(upstream.lines()).toEqual(ids.map((id) => `GET /v1/messages/m${id}`));
    expect(upstream.mostAtOnce).toBe(1);
  });

  test('wait while their client does not read: none of their answers is kept', async () => {
    const long = { ...wireMessage('m1'), message: 'x'.repeat(2_000_000) };
    await using upstream = await startUpstream({ 'GET /v1/messages/m1': long });
    await using gateway = await startTestGateway(upstream.url);
    const sockets = Array.from({ length: 4 }, () => connectTo(gateway).pause());

    for (const socket of sockets) socket.write(post(MESSAGE).repeat(500));
    await expect.poll(() => upstream.calls.length).toBeGreaterThan(0);
    await sleep(500);
    const { data } = await gateway.ask('{ message(id: "m1") { id } }');
    for (const socket of sockets) socket.destroy();

    expect(data.message.id).toBe('m1');
    // Each connection begins those whose answers fit into its buffers, which hold a few megabytes, and one more.
    expect(upstream.calls.length).toBeLessThan(100);
  });

  test('lose their connection if all that wait leave no room', async () => {
    await using upstream = await startUpstream(() => new Promise(() => {}));
    await using gateway = await startTestGateway(upstream.url);
    const first = connectTo(gateway);
    first.write(get(MESSAGE));
    await expect.poll(() => upstream.calls.length).toBe(1);

    // Node reads up to 64 KiB at once, and as many requests as fit into that.
    const many = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2200);
    const others = Array.from({ length: 4 }, () => connectTo(gateway));
    for (const socket of others) socket.resume().write(get(MESSAGE) + many);

    await expect.poll(() => others.some(({ closed }) => closed)).toBe(true);
    expect(first.closed).toBe(false);
    const { data } = await gateway.ask('{ __typename }', { token: 'bob-token' });
    expect(data).toEqual({ __typename: 'Query' });
    for (const socket of [first, ...others]) socket.destroy();
  });
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
