import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startScripted } from '../support/gateway.ts';
import { connectTo, openConnection, toHead, toPost } from '../support/http.ts';
import { wireMessage } from '../support/wire.ts';

const MESSAGE = '{ message(id: "m1") { message } }';

/** A gateway whose service holds its answers for the message m1 until they are released. */
async function startHeld(env: Record<string, string> = {}) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const gateway = await startScripted(async ({ line }) => {
    if (line.endsWith('/m1')) await released;
    return { body: wireMessage(line.split('/').at(-1) ?? '') };
  }, env);
  return { ...gateway, release };
}

describe('two operations', () => {
  test('keep a shared GET when the client that began it leaves', async () => {
    await using gateway = await startHeld();
    const { service } = gateway;
    const leaving = new AbortController();

    const first = gateway.ask(MESSAGE, { signal: leaving.signal });
    await expect.poll(() => service.calls.length).toBe(1);
    const second = gateway.ask(MESSAGE);
    await sleep(200);
    leaving.abort();

    await expect(first).rejects.toThrow();
    gateway.release();
    expect((await second).data.message.message).toBe('text m1');
    expect(service.calls).toHaveLength(1);
    expect(service.aborted).toEqual([]);
  });

  // security: stale-read
  test.each([
    ['succeeded', { body: wireMessage('m1', { message: 'new' }) }],
    ['failed', { status: 500 }],
    ['was cut off', { broken: 'before' } as const],
  ])('do not share a GET from before a write that %s', async (_, written) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let reads = 0;
    await using gateway = await startScripted(async ({ line }) => {
      if (line.startsWith('PUT')) return written;
      reads += 1;
      const message = reads === 1 ? 'old' : 'new';
      if (message === 'old') await released;
      return { body: wireMessage('m1', { message }) };
    });

    const before = gateway.ask(MESSAGE);
    await expect.poll(() => reads).toBe(1);
    await gateway.ask(
      'mutation { updateMessage(input: { id: "m1", message: "new" }) { message { id } } }',
    );
    const after = await gateway.ask(MESSAGE);
    release();

    expect(after.data.message.message).toBe('new');
    expect((await before).data.message.message).toBe('old');
  });
});

describe('requests that arrive over one connection before the first is answered', () => {
  const toGet = (query: string) =>
    toHead(
      { Authorization: 'Bearer ann-token' },
      `/graphql?query=${encodeURIComponent(query)}`,
    ).replace('POST', 'GET');

  const SHORT = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

  // security: pipelined-requests
  test.each([
    ['GETs', toGet],
    ['POSTs', toPost],
  ])('are answered in their order, one after the other: %s', async (_, toRequest) => {
    await using gateway = await startScripted(({ line }) => ({
      body: wireMessage(line.replace(/.*\//, '')),
      delayMs: line.endsWith('m1') ? 50 : 0,
    }));
    const ids = Array.from({ length: 60 }, (_, index) => index);
    using connection = await openConnection(gateway.url);

    connection.socket.write(
      ids.map((id) => toRequest(`{ message(id: "m${id}") { id } }`)).join(''),
    );
    await expect.poll(connection.received).toContain('"m59"');

    const received = [...connection.received().matchAll(/"m(\d+)"/g)];
    expect(received.map(([, id]) => Number(id))).toEqual(ids);
    const { service } = gateway;
    expect(service.lines()).toEqual(ids.map((id) => `GET /v1/messages/m${id}`));
    expect(service.mostAtOnce).toBe(1);
  });

  test('are given up when their client leaves, although one waits', async () => {
    await using gateway = await startScripted(() => ({ delayMs: 5000 }));
    const { service } = gateway;
    const client = connectTo(gateway.url);
    client.write(toPost(MESSAGE).repeat(2));
    await expect.poll(() => service.calls.length).toBe(1);

    client.destroy();

    await expect.poll(() => service.aborted, { timeout: 3000 }).toHaveLength(1);
    expect(service.calls).toHaveLength(1);
  });

  // security: pipelined-requests
  test('wait while their client does not read: none of their answers is kept', async () => {
    await using gateway = await startScripted({
      'GET /v1/messages/m1': wireMessage('m1', { message: 'x'.repeat(2_000_000) }),
    });
    const { calls } = gateway.service;
    const sockets = Array.from({ length: 4 }, () => connectTo(gateway.url).pause());

    for (const socket of sockets) socket.write(toPost(MESSAGE).repeat(500));
    await expect.poll(() => calls.length).toBeGreaterThan(0);
    await sleep(500);
    const { data } = await gateway.ask('{ message(id: "m1") { id } }');
    for (const socket of sockets) socket.destroy();

    expect(data.message.id).toBe('m1');
    // Each connection begins those whose answers fit into its buffers, which hold a few megabytes, and one more.
    expect(calls.length).toBeLessThan(100);
  });

  // security: pipelined-requests
  test('lose their connection if more than 64 wait: those behind are not even parsed', async () => {
    let parsed = 0;
    const count = () => {
      parsed += 1;
    };
    subscribe('http.server.request.start', count);
    onTestFinished(() => void unsubscribe('http.server.request.start', count));
    await using gateway = await startScripted(() => ({ delayMs: 5000 }));
    const { service } = gateway;
    using connection = await openConnection(gateway.url);
    connection.socket.write(toGet(MESSAGE) + SHORT.repeat(64));
    await expect.poll(() => service.calls.length).toBe(1);
    expect(connection.isClosed()).toBe(false);
    using other = await openConnection(gateway.url);
    parsed = 0;

    other.socket.write(toGet('{ message(id: "m2") { id } }') + SHORT.repeat(2000));

    await expect.poll(other.isClosed).toBe(true);
    expect(parsed).toBe(65);
    // Its operation is given up, if it has begun.
    await expect.poll(() => service.aborted.length).toBe(service.calls.length - 1);
    expect(connection.isClosed()).toBe(false);
  });

  // security: pipelined-requests
  test('lose their connection if all that wait leave no room', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using gateway = await startScripted(async ({ token }) => {
      if (token !== 'Bearer bob-token') await released;
      return { body: wireMessage('m1') };
    });
    const askAsBob = () =>
      gateway.ask('{ message(id: "m1") { id } }', { token: 'bob-token' });
    await askAsBob();
    const first = connectTo(gateway.url);
    first.write(toGet(MESSAGE));
    await expect.poll(() => gateway.service.calls.length).toBe(2);

    const others = Array.from({ length: 80 }, () => connectTo(gateway.url));
    for (const socket of others) socket.resume().write(toGet(MESSAGE) + SHORT.repeat(64));

    await expect.poll(() => others.some(({ closed }) => closed)).toBe(true);
    expect(first.closed).toBe(false);
    const { data } = await askAsBob();
    expect(data.message.id).toBe('m1');
    for (const socket of [first, ...others]) socket.destroy();
    // Who leaves while several of its requests wait is noticed when one is answered.
    release();
  });
});
