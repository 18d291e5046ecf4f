import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { acceptInTurns, readInTurn } from '../../src/http/read-in-turns.ts';

const readable = (sockets: readonly Socket[]) =>
  sockets.map((socket) => !socket.isPaused());

test('new connections are read one in a round of the event loop, in their order', async () => {
  const server = acceptInTurns(createServer());
  const sockets = [new Socket(), new Socket(), new Socket()];
  for (const socket of sockets) server.emit('connection', socket);

  expect(readable(sockets)).toEqual([false, false, false]);
  await nextRound();
  expect(readable(sockets)).toEqual([true, false, false]);
  await nextRound();
  expect(readable(sockets)).toEqual([true, true, false]);
  await nextRound();
  expect(readable(sockets)).toEqual([true, true, true]);
});

test('a connection that has sent more waits behind the others, once', async () => {
  const [one, other] = [new Socket(), new Socket()];
  readInTurn(one);
  readInTurn(other);
  await nextRound();
  for (let part = 0; part < 3; part += 1) readInTurn(one);

  expect(readable([one, other])).toEqual([false, false]);
  await nextRound();
  expect(readable([one, other])).toEqual([false, true]);
  await nextRound();
  expect(readable([one, other])).toEqual([true, true]);
});
