import { setTimeout as sleep } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '../callers/time-limit.ts';
import type { Streams } from './streams.ts';

/** A graceful stop: first /readyz fails, then streams are closed and the accepted operations finish, then the server closes. */
export type Drain = ReturnType<typeof createDrain>;

/** The server that is to stop. */
interface ClosingServer {
  /** Accepts nothing more; resolves when all connections have ended. */
  close(): Promise<void>;
  closeAllConnections(): void;
  isReading(): boolean;
}

/** Unit: milliseconds. */
export interface DrainLimits {
  /** Operations that take longer are cut off, or no longer waited for if the connection is another server's. */
  readonly graceMs: number;
  /** How long keep-alive connections are still served before the server closes; each answer closes its connection. */
  readonly lingerMs: number;
}

/**
 * A stop waits until the server has had nothing to read this many times in a row. One time is not enough: the primary process
 * sends a worker its next connection only after the worker has confirmed the last one.
 */
const QUIET_WAITS = 10;
/** How long each of these waits lasts. Unit: milliseconds. */
const WAIT_MS = 5;
/** A stop waits no longer than this, because clients may never stop sending. Unit: milliseconds. */
const MOST_READ_MS = 2000;
/** After this time without an operation, none is on its way over the remaining connections. Unit: milliseconds. */
const QUIET_MS = 50;

/** The part of its time that a drain takes to close streams; the rest is for the operations that run. */
const CLOSING_TIME = 1 / 2;

/** The operations that arrived between two waits of a stop: how many are not over. */
export interface Batch {
  /** Those whose clients have not read their answers. */
  running: number;
  /** Those of them whose answers are not known yet. */
  unanswered: number;
}

export function createDrain(server: ClosingServer, streams: Streams) {
  let latest: Batch = { running: 0, unanswered: 0 };
  /** Those before, as long as some of them are running. */
  let earlier: readonly Batch[] = [];
  let arrived = 0;
  let isDraining = false;
  let noteEnd = () => {};

  /** Resolves when none of the operations that have arrived until now is counted under this name. */
  const noneLeft = (count: keyof Batch): Promise<void> => {
    earlier = [...earlier, latest].filter(({ running }) => running > 0);
    latest = { running: 0, unanswered: 0 };
    return new Promise((resolve) => {
      noteEnd = () => {
        if (earlier.every((batch) => batch[count] === 0)) resolve();
      };
      noteEnd();
    });
  };

  /** Resolves when all streams have ended and the accepted operations are answered. */
  async function answerAll({ graceMs, lingerMs }: DrainLimits): Promise<void> {
    await streams.close({ mostMs: graceMs * CLOSING_TIME });
    // A WebSocket is no connection of the HTTP server any more, and may still run operations.
    await streams.allEnded();
    // Does not wait until answers are read: one client that does not read would use up the time of what others still send.
    await noneLeft('unanswered');
    await sleep(lingerMs);
    await readAll();
  }

  /** The server would close connections whose requests have come, but were not read. */
  async function readAll(): Promise<void> {
    const end = performance.now() + MOST_READ_MS;
    for (let quiet = 0; quiet < QUIET_WAITS && performance.now() < end; quiet += 1) {
      await sleep(WAIT_MS);
      if (server.isReading()) quiet = -1;
    }
  }

  /** Resolves when the clients have read their answers, and no further operation is on its way. */
  async function sendAll({ lingerMs }: DrainLimits): Promise<void> {
    let before = 0;
    do {
      before = arrived;
      await noneLeft('running');
      await sleep(Math.min(lingerMs, QUIET_MS));
    } while (arrived > before);
  }

  return {
    isDraining: () => isDraining,

    /** Counts an operation that has arrived: it is answered, whatever comes. Returns its batch. */
    begin(): Batch {
      arrived += 1;
      latest.running += 1;
      latest.unanswered += 1;
      return latest;
    },

    /** Its answer is known, but its client may not have read it. To be called once. */
    answered(batch: Batch): void {
      batch.unanswered -= 1;
      noteEnd();
    },

    /** Its client has read its answer, or has left. To be called once, after `answered`. */
    end(batch: Batch): void {
      batch.running -= 1;
      noteEnd();
    },

    /** Resolves when every operation has been answered, or the time is up, and the server is closed. */
    async finish(limits: DrainLimits): Promise<void> {
      isDraining = true;
      let timer: NodeJS.Timeout | undefined;
      const timeIsUp = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, Math.min(limits.graceMs, LONGEST_TIMER_MS));
      });
      // The listener stays open meanwhile, so that load balancers see from /readyz that this replica stops.
      await Promise.race([answerAll(limits), timeIsUp]);
      const closed = server.close();
      await Promise.race([sendAll(limits), timeIsUp]);
      clearTimeout(timer);
      // If the time was enough, only half-sent requests and late WebSockets are left.
      streams.destroy();
      server.closeAllConnections();
      await closed;
    },
  };
}
