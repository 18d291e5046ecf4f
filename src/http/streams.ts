import { setTimeout as sleep } from 'node:timers/promises';

/** A WebSocket carries any number of subscriptions; the others are streams of one each. */
export type Transport = (typeof TRANSPORTS)[number];
const TRANSPORTS = ['sse', 'multipart', 'websocket'] as const;

/** The open streams of subscriptions, on whatever transport. */
export type Streams = ReturnType<typeof createStreams>;

interface Stream {
  readonly transport: Transport;
  /** Asks it to end; it may take a while to finish what it has begun. `add` calls this if the gateway is stopping already. */
  readonly close: () => void;
  /** Ends it at once. */
  readonly destroy: () => void;
}

/** Proxies and clients take a connection for dead if nothing comes. Unit: milliseconds. */
export const HEARTBEAT_MS = 10_000;
/** How long a client may take to read the end of a stream, or to agree to a close. Unit: milliseconds. */
export const CLOSE_MS = 2000;
/** Between two closes, if there is the time. Unit: milliseconds. */
const BETWEEN_CLOSES_MS = 50;

export function createStreams() {
  const open = new Set<Stream>();
  let isClosing = false;
  let noteEnd = () => {};
  return {
    /** How many are open. */
    counts(): ReadonlyMap<Transport, number> {
      const counts = new Map(TRANSPORTS.map((transport) => [transport, 0]));
      for (const { transport } of open)
        counts.set(transport, (counts.get(transport) ?? 0) + 1);
      return counts;
    },

    /** Notes a stream, and returns the function to call when it has ended. */
    add(stream: Stream): () => void {
      open.add(stream);
      if (isClosing) stream.close();
      return () => {
        open.delete(stream);
        noteEnd();
      };
    },

    /** Closes all streams, one after the other, so that their clients do not all return in one moment. */
    async close({ mostMs }: { readonly mostMs: number }): Promise<void> {
      isClosing = true;
      const began = performance.now();
      const pause = Math.min(BETWEEN_CLOSES_MS, mostMs / Math.max(1, open.size));
      let closed = 0;
      for (const stream of [...open]) {
        if (!open.has(stream)) continue;
        stream.close();
        closed += 1;
        const ahead = closed * pause - (performance.now() - began);
        if (ahead > 1) await sleep(ahead);
      }
    },

    /** Resolves when all have ended. */
    allEnded: (): Promise<void> =>
      new Promise((resolve) => {
        noteEnd = () => {
          if (open.size === 0) resolve();
        };
        noteEnd();
      }),

    destroy(): void {
      for (const stream of [...open]) stream.destroy();
    },
  };
}
