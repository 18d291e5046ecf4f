import { type Level, type Logger, pino } from 'pino';

/** Lines wait this long for others to go out with. Unit: milliseconds. */
const LONGEST_WAIT_MS = 100;
/** So much goes out without waiting. Unit: bytes. */
const FULL_BYTES = 8192;
/** When nobody reads what is written, so much is kept, and what follows is dropped. Unit: bytes. */
const MAX_BYTES = 16_777_216;

/**
 * Logs JSON lines to standard output. One write for each line would cost a busy gateway more than the line itself, and
 * would stop it while nobody reads: lines go out together, off the event loop, and the rest when the process exits.
 */
export function createLog(level: Level | 'silent'): Logger {
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
  return pino(
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
}
