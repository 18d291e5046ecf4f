import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A graceful end: not ready at once, accepted operations to their end, then closed. */
export interface Drain {
  isDraining(): boolean;
  /** Fastify's preHandler hook for what must not be cut off: what has arrived whole. */
  enter(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Ends when every operation has been answered and the server is closed; cuts off what takes longer than `graceMs`. */
  finish(graceMs: number): Promise<void>;
}

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
    async finish(graceMs) {
      draining = true;
      const timer = setTimeout(() => app.server.closeAllConnections(), graceMs);
      // The listener stays open until then, so that /readyz tells load balancers before they find it shut.
      await Promise.all(running);
      const closed = app.close();
      await Promise.all(running);
      // What is open now has nothing accepted on it: requests half sent would hold up the end.
      app.server.closeAllConnections();
      await closed;
      clearTimeout(timer);
    },
  };
}
