import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { acceptInTurns, readInTurn } from '../../src/http/connections.ts';

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
