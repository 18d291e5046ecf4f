import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Few clients send a request before the last one is answered, and none needs as much. Unit: requests. */
const MAX_UNANSWERED = 64;

/**
 * Closes a connection over which dozens of requests arrive before the first is answered: Node reads and begins them all,
 * so that one connection could hold a hundred thousand operations, each of which takes some 30 KB.
 */
export function boundUnanswered(app: FastifyInstance): void {
  const unanswered = new WeakMap<Socket, number>();
  const add = (socket: Socket, more: number): number => {
    const count = (unanswered.get(socket) ?? 0) + more;
    unanswered.set(socket, count);
    return count;
  };
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    if (add(socket, 1) > MAX_UNANSWERED) {
      socket.destroy();
      return;
    }
    response.once('close', () => add(socket, -1));
    done();
  });
}
