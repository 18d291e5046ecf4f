import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A longer round of the event loop reads from fewer connections. Unit: milliseconds. */
const ROUND_MS = 4;
const MOST_AT_ONCE = 64;

/** Connections of which no more is read until their turn, and whether more may be read then: new ones, and all others. */
const fresh = new Map<Socket, () => boolean>();
const waiting = new Map<Socket, () => boolean>();

/**
 * Lets the server read from one new connection in a round of the event loop: Node would read from all that have sent
 * something before it does anything else.
 */
export const acceptInTurns = (server: Server): Server =>
  server.on('connection', (socket) => waitIn(fresh, socket));

/** Reads on from a connection after those that wait already. */
export const readInTurn = (socket: Socket, mayRead?: () => boolean): void =>
  waitIn(waiting, socket, mayRead);

function waitIn(
  queue: Map<Socket, () => boolean>,
  socket: Socket,
  mayRead = () => true,
): void {
  if (queue.has(socket)) return;
  socket.pause();
  queue.set(socket, mayRead);
  if (fresh.size + waiting.size === 1) begin();
}

/** How many of either kind are read in a round: more while rounds are short. */
let atOnce = 1;
let began = 0;

function begin(): void {
  began = performance.now();
  setImmediate(readNext);
}

/** As many of either kind, so that new connections do not wait behind long bodies. */
function readNext(): void {
  atOnce = performance.now() - began < ROUND_MS ? Math.min(2 * atOnce, MOST_AT_ONCE) : 1;
  for (const queue of [fresh, waiting]) {
    let left = atOnce;
    for (const [socket, mayRead] of queue) {
      if (left === 0) break;
      left -= 1;
      queue.delete(socket);
      if (mayRead()) socket.resume();
    }
  }
  if (fresh.size + waiting.size > 0) begin();
}
