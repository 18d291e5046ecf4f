import { setTimeout as sleep } from 'node:timers/promises';

/** The open streams of subscriptions, on whatever transport. */
export interface Streams {
  /** Notes a stream, and returns the function to call when it has ended. `close` runs at once if the gateway is stopping. */
  add(close: () => void): () => void;
  /** Closes all streams, one after the other, so that their clients do not all return in one moment. */
  close(limits: { readonly mostMs: number }): Promise<void>;
}

/** Between two closes, if there is the time. Unit: milliseconds. */
const BETWEEN_CLOSES_MS = 50;

export function createStreams(): Streams {
  const open = new Set<() => void>();
  let isClosing = false;
  return {
    add(close) {
      if (isClosing) close();
      else open.add(close);
      return () => open.delete(close);
    },
    async close({ mostMs }) {
      isClosing = true;
      const began = performance.now();
      const pause = Math.min(BETWEEN_CLOSES_MS, mostMs / Math.max(1, open.size));
      let closed = 0;
      for (const close of open) {
        open.delete(close);
        close();
        closed += 1;
        const ahead = closed * pause - (performance.now() - began);
        if (ahead > 1) await sleep(ahead);
      }
    },
  };
}
