import type { FastifyInstance } from 'fastify';

/** Runs what sends a short answer. */
export type SendTogether = (send: () => void) => void;

/**
 * Sends the short answers of one phase of the event loop together, at its end. A client that waits must be woken, and
 * waking a process costs more than writing to it: the first answer wakes the client, a proxy for example, and it is
 * still awake for the others.
 */
export function createSendTogether(): SendTogether {
  let waiting: (() => void)[] = [];

  function sendWaiting(): void {
    const answers = waiting;
    waiting = [];
    for (const send of answers) send();
  }

  return (send) => {
    if (waiting.length === 0) setImmediate(sendWaiting);
    waiting.push(send);
  };
}

/** Sends all answers of an app that are texts so. */
export function sendTogether(app: FastifyInstance, together: SendTogether): void {
  app.addHook('onSend', (_request, _reply, payload, done) => {
    if (typeof payload === 'string') together(() => done(null, payload));
    else done(null, payload);
  });
}
