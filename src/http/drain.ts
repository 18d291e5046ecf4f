import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A graceful stop: first /readyz fails, then the accepted operations finish, then the server closes. */
export interface Drain {
  isDraining(): boolean;
  /** A preHandler hook for requests that must be answered once they have arrived. */
  enter(request: FastifyRequest, reply: FastifyReply, done: () => void): void;
  /** Resolves when every operation has been answered and the server is closed. */
  finish(limits: DrainLimits): Promise<void>;
}

/** Unit: milliseconds. */
interface DrainLimits {
  /** Operations that take longer are cut off. */
  readonly graceMs: number;
  /** How long keep-alive connections are still served before the server closes; each answer closes its connection. */
  readonly lingerMs: number;
}

/** Node runs a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** After this time without an operation, none is on its way over the remaining connections. Unit: milliseconds. */
const QUIET_MS = 50;

export function createDrain(app: FastifyInstance): Drain {
  const running = new Set<ServerResponse>();
  let draining = false;

  return {
    isDraining: () => draining,
    enter(_request, reply, done) {
      // Makes clients with keep-alive connections reconnect, which leads them to another replica.
      if (draining) reply.header('connection', 'close');
      const { raw } = reply;
      running.add(raw);
      raw.on('close', () => running.delete(raw));
      done();
    },
    async finish({ graceMs, lingerMs }) {
      draining = true;
      const cutOff = () => app.server.closeAllConnections();
      const timer = setTimeout(cutOff, Math.min(graceMs, LONGEST_TIMER_MS));
      // The listener stays open meanwhile, so that load balancers see from /readyz that this replica stops.
      await allClosed(running);
      await sleep(lingerMs);
      const closed = app.close();
      do {
        await allClosed(running);
        await sleep(Math.min(lingerMs, QUIET_MS));
      } while (running.size > 0);
      // No accepted request is left, but requests that are only half sent would delay the close.
      app.server.closeAllConnections();
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Resolves when the answers that are on their way now have been sent, or given up. */
const allClosed = (responses: Iterable<ServerResponse>) =>
  Promise.all(
    Array.from(
      responses,
      (response) => new Promise<void>((resolve) => response.on('close', resolve)),
    ),
  );
