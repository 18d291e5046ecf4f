import type { ChildProcess } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import type { PlainError, StartMessage, ToPrimary, ToWorker } from './messages.ts';

/** A worker, as the primary process sees it. */
export interface WorkerProcess {
  readonly pid: number;
  /** Its address, when it listens. Rejects with the reason if it cannot start. */
  readonly listening: Promise<string>;
  /** Resolves with the signal or the status of its end, and how long it lived. Unit: milliseconds. */
  readonly ended: Promise<{ readonly how: string; readonly livedMs: number }>;
  send(message: ToWorker): void;
  kill(): void;
  /** Its log, which nobody reads yet. */
  readonly output: NodeJS.ReadableStream | null;
}

/** Starts a worker. `hear` gets all other messages from it. */
export function startWorkerProcess(
  start: StartMessage,
  hear: (worker: WorkerProcess, message: ToPrimary) => void,
): WorkerProcess {
  const began = performance.now();
  const forked: Worker = cluster.fork();
  const listening = Promise.withResolvers<string>();
  // If nobody waits for it, a rejection must not end this process.
  listening.promise.catch(() => {});
  const worker: WorkerProcess = {
    pid: forked.process.pid ?? 0,
    listening: listening.promise,
    ended: new Promise((resolve) => {
      const end = (how: string, reason: Error) => {
        const livedMs = performance.now() - began;
        // A signal to all processes may have ended it: this process hears of the end first, and of the signal right after.
        setImmediate(() => {
          listening.reject(reason);
          resolve({ how, livedMs });
        });
      };
      forked.once('exit', (status, signal) => {
        const how = signal ?? `status ${status}`;
        end(how, new Error(`A worker ended with ${how} before it listened.`));
      });
      // Other errors: a message was sent to a worker that had just ended.
      forked.on('error', (error) => {
        if (hasNotStarted(forked)) end(error.message, error);
      });
    }),
    send(message) {
      if (forked.isConnected()) forked.send(message, () => {});
    },
    kill: () => void forked.process.kill('SIGKILL'),
    output: hasNotStarted(forked) ? null : forked.process.stdout,
  };
  forked.on('message', (message: ToPrimary) => {
    if (message.kind === 'listening') listening.resolve(message.url);
    else if (message.kind === 'failed') listening.reject(fromPlain(message.error));
    else hear(worker, message);
  });
  closeUntaken(forked.process);
  worker.send(start);
  return worker;
}

/** A message of Node's own between a process and its workers: a connection is handed over, or the worker confirms that. */
interface HandOver {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/**
 * Closes the connections that a worker was given and has not taken when it dies. Node keeps them open until the worker
 * confirms that it has them, and so forever: their clients would wait until they give up.
 */
function closeUntaken(process: ChildProcess): void {
  const untaken = new Map<number, { close(): void }>();
  const { send } = process;
  process.send = (message: HandOver, ...others: unknown[]) => {
    const [connection] = others as [{ close(): void } | undefined];
    if (message.act === 'newconn' && message.seq !== undefined && connection)
      untaken.set(message.seq, connection);
    return Reflect.apply(send, process, [message, ...others]);
  };
  process.on('internalMessage', ({ ack }: HandOver) => untaken.delete(ack ?? Number.NaN));
  // What it confirmed before its end is heard first.
  process.once('exit', () =>
    setImmediate(() => {
      for (const connection of untaken.values()) connection.close();
    }),
  );
}

/** The machine had no room for another process. Then there is no `exit`. */
const hasNotStarted = ({ process }: Worker): boolean => process.pid === undefined;

const fromPlain = ({ message, ...call }: PlainError): Error =>
  Object.assign(new Error(message), call);
