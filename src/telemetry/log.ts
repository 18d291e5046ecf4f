import { setTimeout as sleep } from 'node:timers/promises';
import { type Level, type Logger, pino } from 'pino';

/** Lines wait this long for others to go out with. Unit: milliseconds. */
const LONGEST_WAIT_MS = 100;
/** So much goes out without waiting. Unit: bytes. */
const FULL_BYTES = 8192;
/** When nobody reads what is written, so much is kept, and what follows is dropped. Unit: bytes. */
const MAX_BYTES = 16_777_216;

/** At the end, what waits is given so long to be read. Unit: milliseconds. */
const LAST_WAIT_MS = 1000;

export interface Log {
  readonly logger: Logger;
  /** Writes what waits; what nobody reads in time is dropped, for it would hold up the end of the process for ever. */
  close(): Promise<void>;
}

/**
 * Logs JSON lines to standard output. One write for each line would cost a busy gateway more than the line itself, and
 * would stop it while nobody reads: lines go out together, off the event loop, and the rest when the process exits.
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
