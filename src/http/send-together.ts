/**
 * Sends the short answers of one phase of the event loop together, at its end. A client that waits must be woken, and
 * waking a process costs more than writing to it: the first answer wakes the client, a proxy for example, and it is
 * still awake for the others.
 */
export interface Together {
  /** Runs `send` at the end of the phase. */
  later(send: () => void): void;
  /** Sends what waits. */
  sendNow(): void;
}

export function createTogether(): Together {
  let waiting: (() => void)[] = [];

  function sendNow(): void {
    const answers = waiting;
    waiting = [];
    for (const send of answers) send();
  }

  return {
    later(send) {
      if (waiting.length === 0) setImmediate(sendNow);
      waiting.push(send);
    },
    sendNow,
  };
}
