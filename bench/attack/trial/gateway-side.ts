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

/** The longest time between two readings. Unit: milliseconds. */
export interface Busy {
  /** In processor time of the thread: other processes of a busy machine do not change it. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** What the thread has used since the process began. */
  readonly totalMs: number;
}

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let lastWall = performance.now();
let lastCpu = threadMs();
let longestWall = 0;
let longestCpu = 0;

function read(): void {
  const wall = performance.now();
  const cpu = threadMs();
  longestWall = Math.max(longestWall, wall - lastWall - PERIOD_MS);
  longestCpu = Math.max(longestCpu, cpu - lastCpu);
  lastWall = wall;
  lastCpu = cpu;
}

function answer(question: Question): void {
  if (question === 'collect')
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  read();
  if (question === 'begin') {
    longestWall = 0;
    longestCpu = 0;
  }
  const busy: Busy = { cpuMs: longestCpu, wallMs: longestWall, totalMs: lastCpu };
  process.send?.(busy);
}

setInterval(read, PERIOD_MS).unref();
process.on('message', answer);
// The gateway must not outlive the search.
process.once('disconnect', () => process.exit());
