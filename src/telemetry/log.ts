import { setTimeout as sleep } from 'node:timers/promises';
import { type Level, type Logger, pino } from 'pino';

/** How long a line waits for more lines, to be written together. Unit: milliseconds. */
const LONGEST_WAIT_MS = 100;
/** When this much is waiting, it is written at once. Unit: bytes. */
const FULL_BYTES = 8192;
/** If nobody reads the output, this much is kept, and later lines are dropped. Unit: bytes. */
const MAX_BYTES = 16_777_216;

/** How long the last lines may take to be read. Unit: milliseconds. */
const LAST_WAIT_MS = 1000;

export interface Log {
  readonly logger: Logger;
  /** Writes the waiting lines. Drops them if nobody reads them in time, because the process could not end otherwise. */
  close(): Promise<void>;
}

/**
 * Logs JSON lines to standard output. Lines are written together and asynchronously, because one synchronous write for
 * each would cost more than the line, and would block the gateway while nobody reads.
 */
export function createLog(level: Level | 'silent'): Log {
  const output = pino.destination({
    sync: false,
    minLength: FULL_BYTES,
    maxLength: MAX_BYTES,
  });
  let isWaiting = false;
  const flush = () => {
    isWaiting = false;
    output.flush();
  };
  const logger = pino(
    { level, base: null },
    {
      write(line: string) {
        output.write(line);
        if (isWaiting) return;
        isWaiting = true;
        setTimeout(flush, LONGEST_WAIT_MS).unref();
      },
    },
  );

  return {
    logger,
    async close() {
      const written = new Promise((resolve) => output.flush(() => resolve(true)));
      const isWritten = await Promise.race([written, sleep(LAST_WAIT_MS, false)]);
      if (isWritten === false) output.destroy();
    },
  };
}
