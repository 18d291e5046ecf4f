import type { FastifyInstance } from 'fastify';

/**
 * Sends the short answers of one phase of the event loop together, at its end. A client that waits must be woken, and
 * waking a process costs more than writing to it: the first answer wakes the client, a proxy for example, and it is
 * still awake for the others.
 */
export function sendTogether(app: FastifyInstance): void {
  let waiting: (() => void)[] = [];

  function sendWaiting(): void {
    const answers = waiting;
    waiting = [];
    for (const send of answers) send();
  }

  app.addHook('onSend', (_request, _reply, payload, done) => {
    if (typeof payload !== 'string') {
      done(null, payload);
      return;
    }
    if (waiting.length === 0) setImmediate(sendWaiting);
    waiting.push(() => done(null, payload));
  });
}
