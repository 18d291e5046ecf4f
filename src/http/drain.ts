import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A graceful end: not ready at once, accepted operations to their end, then closed. */
export interface Drain {
  isDraining(): boolean;
  /** Fastify's preHandler hook for what must not be cut off: what has arrived whole. */
  enter(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Ends when every operation has been answered and the server is closed. */
  finish(limits: DrainLimits): Promise<void>;
}

/** Unit: milliseconds. */
interface DrainLimits {
  /** What takes longer is cut off. */
  readonly graceMs: number;
  /** How long clients with kept connections are still served, and told to leave, before the server closes. */
  readonly lingerMs: number;
}

/** A timer set for longer runs at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** No operation for so long: none is on its way over the connections that are left. Unit: milliseconds. */
const QUIET_MS = 50;

export function createDrain(app: FastifyInstance): Drain {
  const running = new Set<Promise<void>>();
  let draining = false;

  return {
    isDraining: () => draining,
    async enter(_request, reply) {
      // Clients with a kept connection are sent away to another replica.
      if (draining) reply.header('connection', 'close');
      const { promise, resolve } = Promise.withResolvers<void>();
      running.add(promise);
      reply.raw.once('close', () => {
        running.delete(promise);
        resolve();
      });
    },
    async finish({ graceMs, lingerMs }) {
      draining = true;
      const cutOff = () => app.server.closeAllConnections();
      const timer = setTimeout(cutOff, Math.min(graceMs, LONGEST_TIMER_MS));
      // The listener stays open until then, so that /readyz tells load balancers before they find it shut.
      await Promise.all(running);
      await sleep(lingerMs);
      const closed = app.close();
      do {
        await Promise.all(running);
        await sleep(Math.min(lingerMs, QUIET_MS));
      } while (running.size > 0);
      // What is open now has nothing accepted on it: requests half sent would hold up the end.
      app.server.closeAllConnections();
      await closed;
      clearTimeout(timer);
    },
  };
}
