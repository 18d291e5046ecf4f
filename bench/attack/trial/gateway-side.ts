/**
 * Runs inside the gateway's process, before the gateway: measures how long its one thread is busy without a pause. It
 * answers questions of the search over the IPC channel of the process.
 */

/** How often the time of the thread is read. Unit: milliseconds. */
const PERIOD_MS = 5;

/** What the search asks for. */
export type Question =
  /** Collect what is not used any more. */
  | 'collect'
  /** Forget what was measured. */
  | 'begin'
  /** What was measured since then. */
  | 'end';

/** In processor time of the thread: other processes of a busy machine do not change it. Unit: milliseconds. */
export interface Busy {
  /** The longest between two readings. */
  readonly cpuMs: number;
  /** What the thread has used since the process began. */
  readonly totalMs: number;
}

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let lastCpu = threadMs();
let longestCpu = 0;

function read(): void {
  const cpu = threadMs();
  longestCpu = Math.max(longestCpu, cpu - lastCpu);
  lastCpu = cpu;
}

function answer(question: Question): void {
  if (question === 'collect')
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  read();
  if (question === 'begin') longestCpu = 0;
  process.send?.({ cpuMs: longestCpu, totalMs: lastCpu } satisfies Busy);
}

setInterval(read, PERIOD_MS).unref();
process.on('message', answer);
// The gateway must not outlive the search.
process.once('disconnect', () => process.exit());
