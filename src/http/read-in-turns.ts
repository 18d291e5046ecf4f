import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections of which no more is read until their turn. */
const waiting = new Set<Socket>();

/**
 * Lets the server read from one new connection in a round of the event loop: Node would read from all that have sent
 * something before it does anything else.
 */
export const acceptInTurns = (server: Server): Server =>
  server.on('connection', readInTurn);

/** Reads on from a connection after those that wait already. */
export function readInTurn(socket: Socket): void {
  if (waiting.has(socket)) return;
  socket.pause();
  waiting.add(socket);
  if (waiting.size === 1) setImmediate(readNext);
}

function readNext(): void {
  for (const socket of waiting) {
    waiting.delete(socket);
    socket.resume();
    break;
  }
  if (waiting.size > 0) setImmediate(readNext);
}
