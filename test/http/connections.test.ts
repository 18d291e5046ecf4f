import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  acceptInTurns,
  limitPipelining,
  readInTurn,
} from '../../src/http/connections.ts';

const open = (count: number) => Array.from({ length: count }, () => new Socket());
const readable = (sockets: readonly Socket[]) =>
  sockets.filter((socket) => !socket.isPaused()).length;

/** Keeps the thread for longer than a round should take. */
function work(): void {
  for (const end = performance.now() + 6; performance.now() < end; );
}

test('new connections are read a few in a round of the event loop, in their order', async () => {
  const server = acceptInTurns(createServer());
  const sockets = open(500);
  for (const socket of sockets) server.emit('connection', socket);

  expect(readable(sockets)).toBe(0);
  await nextRound();
  const first = readable(sockets);
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThanOrEqual(64);
  expect(readable(sockets.slice(0, first))).toBe(first);
  await expect.poll(() => readable(sockets)).toBe(500);
});

test('after a long round, one connection is read in the next', async () => {
  const sockets = open(500);
  for (const socket of sockets) readInTurn(socket);
  work();
  await nextRound();

  expect(readable(sockets)).toBe(1);
  await expect.poll(() => readable(sockets)).toBe(500);
});

test('a new connection does not wait behind those that have sent more', async () => {
  const server = acceptInTurns(createServer());
  const [known, fresh] = [open(500), new Socket()];
  for (const socket of known) readInTurn(socket);
  server.emit('connection', fresh);
  await nextRound();

  expect(fresh.isPaused()).toBe(false);
  expect(readable(known)).toBeLessThan(500);
  await expect.poll(() => readable(known)).toBe(500);
});

test('a connection that may not be read in its turn stays paused', async () => {
  const [one, other] = [new Socket(), new Socket()];
  readInTurn(one, () => false);
  readInTurn(other);

  await expect.poll(() => other.isPaused()).toBe(false);
  expect(one.isPaused()).toBe(true);
});

// security: pipelined-requests
test('a connection is not read while requests of it wait for the answers to those before', async () => {
  let waiting = 0;
  let mostWaiting = 0;
  let answered = 0;
  const held = { hold: () => true, end() {} };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    waiting += 1;
    mostWaiting = Math.max(mostWaiting, waiting);
    await limitPipelining({ open: () => held }, request, response);
    await released;
    waiting -= 1;
    answered += 1;
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

  client.write(request);
  await expect.poll(() => waiting).toBe(1);
  client.write(request.repeat(10_000));
  await sleep(300);
  release();
  await expect.poll(() => answered).toBe(10_001);

  // Node reads 64 KiB at once.
  expect(mostWaiting).toBeLessThanOrEqual(1 + 65_536 / request.length);
  client.destroy();
  server.close();
});
