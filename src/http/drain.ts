import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A graceful end: first not ready, then accepted operations are finished, then the server is closed. */
export interface Drain {
  isDraining(): boolean;
  /** Fastify's preHandler hook of requests that must not be cut off once they have arrived. */
  enter(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Resolves when every operation has been answered and the server is closed. */
  finish(limits: DrainLimits): Promise<void>;
}

/** Unit: milliseconds. */
interface DrainLimits {
  /** Operations that take longer are cut off. */
  readonly graceMs: number;
  /** How long clients with kept connections are still served, and told to leave, before the server closes. */
  readonly lingerMs: number;
}

/** Node runs a timer at once if it is set for longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** After this time without an operation, none is on its way over the connections that are left. Unit: milliseconds. */
const QUIET_MS = 50;

export function createDrain(app: FastifyInstance): Drain {
  const running = new Set<Promise<void>>();
  let draining = false;

  return {
    isDraining: () => draining,
    async enter(_request, reply) {
      // Tells clients with a kept connection to open their next one to another replica.
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
      // The listener stays open meanwhile, so that load balancers can read from /readyz that the end is near.
      await Promise.all(running);
      await sleep(lingerMs);
      const closed = app.close();
      do {
        await Promise.all(running);
        await sleep(Math.min(lingerMs, QUIET_MS));
      } while (running.size > 0);
      // No open connection has an accepted request now, but half-sent requests would delay the end.
      app.server.closeAllConnections();
      await closed;
      clearTimeout(timer);
    },
  };
}
