import { setTimeout as sleep } from 'node:timers/promises';
import { type Level, type Logger, pino } from 'pino';
import type { HostLogger } from './host-logger.ts';

/** How long a line waits for more lines, to be written together. Unit: milliseconds. */
const LONGEST_WAIT_MS = 100;
/** As soon as this many lines wait, all are written: to make more in one go would hold up operations. These take 0.3 ms. */
const MOST_WAITING = 128;
/** A pipe takes this much in one write. Unit: bytes. */
const MAX_WRITE_BYTES = 65_536;
/** If nobody reads the output, this much is kept, and later lines are dropped. Unit: bytes. */
const MAX_BYTES = 16_777_216;

/** How long the last lines may take to be read. Unit: milliseconds. */
const LAST_WAIT_MS = 1000;

/** What is logged of one operation. An undefined field is left out. */
interface OperationEntry {
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly operation: string | null;
  readonly type: string | null;
  readonly client: string | undefined;
  readonly clientVersion: string | undefined;
  readonly untrusted: string | undefined;
  readonly restCalls: number;
  readonly restRetries: number;
  readonly durationMs: number;
  readonly codes: readonly string[];
  readonly clientLeft: true | undefined;
}

/** Logs one operation at `info`. Any logger can: `(entry) => logger.info(entry, 'operation')`. */
export type LogOperation = (entry: OperationEntry) => void;

/** Logs to the process's own logger, at its level, and leaves it open. */
export function toLog(host: HostLogger) {
  const always = { isLevelEnabled: () => true };
  return {
    // The gateway calls no other methods of it.
    logger: ('isLevelEnabled' in host
      ? host
      : Object.assign(Object.create(host), always)) as Logger,
    logOperation: (entry: OperationEntry): void => host.info(entry, 'operation'),
    close: async () => {},
  };
}

/** The destination of the lines. It takes bytes too, which pino's type for it does not say. */
type Output = ReturnType<typeof pino.destination> & { write(line: Buffer): boolean };

const INFO = pino.levels.values.info;

/**
 * Logs JSON lines to standard output. Lines are written together and asynchronously, because one synchronous write for
 * each would cost more than the line, and would block the gateway while nobody reads.
 */
export function createLog(level: Level | 'silent') {
  const output = pino.destination({
    sync: false,
    // Writes at once, or when the write before is done: what is shorter would wait for more. With 0, `flush` does not wait.
    minLength: 1,
    maxLength: MAX_BYTES,
    maxWrite: MAX_WRITE_BYTES,
    // With texts, it would measure all that is waiting at each write.
    contentMode: 'buffer',
  }) as Output;
  /** Lines, and operations whose lines are made when all are written: each takes a third of what it takes alone. */
  let waiting: (string | EndedOperation)[] = [];
  const writeWaiting = () => {
    if (waiting.length === 0) return;
    const lines = waiting.map((one) => (typeof one === 'string' ? one : toLine(one)));
    waiting = [];
    output.write(Buffer.from(lines.join('')));
  };
  const write = (line: string | EndedOperation) => {
    if (waiting.length === 0) setTimeout(writeWaiting, LONGEST_WAIT_MS).unref();
    waiting.push(line);
    if (waiting.length === MOST_WAITING) writeWaiting();
  };
  const logger = pino({ level, base: null }, { write });

  return {
    logger,
    /** Writes what `logger` would write, for less. */
    logOperation(entry: OperationEntry): void {
      if (logger.isLevelEnabled('info')) write({ time: Date.now(), entry });
    },
    /** Writes the lines of another process, whose log this stream brings. */
    pass(lines: NodeJS.ReadableStream): void {
      passLines(lines, (some) => output.write(some));
    },
    /** Writes the waiting lines. Drops them if nobody reads them in time, because the process could not end otherwise. */
    async close(): Promise<void> {
      writeWaiting();
      const written = new Promise((resolve) => output.flush(() => resolve(true)));
      const isWritten = await Promise.race([written, sleep(LAST_WAIT_MS, false)]);
      if (isWritten === false) output.destroy();
    },
  };
}

interface EndedOperation {
  /** Unit: milliseconds since 1970. */
  readonly time: number;
  readonly entry: OperationEntry;
}

const toLine = ({ time, entry }: EndedOperation): string =>
  `${JSON.stringify({ level: INFO, time, ...entry, msg: 'operation' })}\n`;

const NEWLINE = 10;

/** Passes on what a stream brings, in whole lines; the last one may lack its end. */
function passLines(stream: NodeJS.ReadableStream, write: (lines: Buffer) => void): void {
  /** The beginning of a line. */
  let begun: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      write(Buffer.concat([...begun, chunk.subarray(0, end)]));
      begun = [];
    }
    if (end < chunk.length) begun.push(chunk.subarray(end));
  });
  stream.on('end', () => {
    if (begun.length > 0) write(Buffer.concat(begun));
  });
}
