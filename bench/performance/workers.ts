/** Operations per second and CPU for each of them, by the number of workers, with all cores of the machine. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { MEGABYTE, memoryOf } from '../memory.ts';
import { processesOf } from './processes.ts';
import type { Session, Subject } from './session.ts';
import { median } from './statistics.ts';
import { digits, type Table } from './tables.ts';
import type { Target } from './targets.ts';
import type { Workload } from './workloads.ts';

/** A slice is long, because workers get their connections in turns and other programs disturb short ones. Unit: milliseconds. */
const SLICE_MS = 4000;
const ROUNDS = 6;
const WARM_UP = { maxOperations: 10_000, maxMs: 10_000 };
/** A tick of the kernel's counts of CPU. Unit: milliseconds. */
const TICK_MS = 10;

interface Slices {
  readonly perSecond: number[];
  /** Of all processes of the gateway, for one operation. Unit: milliseconds. */
  readonly cpuMs: number[];
}

interface Measured {
  readonly count: number;
  readonly byWorkload: Map<string, Slices>;
  /** The most that all its processes held. Unit: megabytes. */
  memory: number;
}

/** Slices of all counts alternate. Returns the tables, and how busy other programs kept the machine meanwhile. */
export async function measureWorkers(
  session: Session,
  target: Target,
  { counts, workloads }: { counts: readonly number[]; workloads: readonly Workload[] },
  say: (line: string) => void,
): Promise<{ tables: Table[]; othersBusy: number }> {
  const subjects: Subject[] = [];
  for (const count of counts) {
    const settings = { WORKERS: `${count}` };
    subjects.push(await session.start(target, { settings, isPinned: false }));
  }
  const all = counts.map(
    (count): Measured => ({ count, byWorkload: new Map(), memory: 0 }),
  );
  for (const workload of workloads) {
    say(`warm-up, ${workload.name} ${workload.title}`);
    for (const subject of subjects)
      await session.run(subject, workload, { kind: 'closed', ...WARM_UP });
  }
  const before = readMachine();
  const usedBefore = session.usedMs();
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`round ${round} of ${ROUNDS}`);
    for (const workload of workloads) {
      for (const [index, subject] of subjects.entries()) {
        const { operations, tookMs, cpuMs } = await session.run(subject, workload, {
          kind: 'closed',
          maxOperations: Number.MAX_SAFE_INTEGER,
          maxMs: SLICE_MS,
        });
        const slices = slicesOf(all[index], workload);
        slices.perSecond.push((operations / tookMs) * 1000);
        slices.cpuMs.push(cpuMs);
      }
    }
  }
  const after = readMachine();
  for (const [index, { running }] of subjects.entries()) {
    const held = processesOf(running.pid).map((pid) => memoryOf(pid, 'VmHWM'));
    const measured = all[index];
    if (measured) measured.memory = held.reduce((sum, one) => sum + one, 0) / MEGABYTE;
  }
  const busyMs = after.busyMs - before.busyMs - (session.usedMs() - usedBefore);
  const othersBusy = busyMs / ((after.at - before.at) * availableParallelism());
  return { tables: toWorkerTables(all, workloads), othersBusy };
}

function slicesOf(measured: Measured | undefined, { name }: Workload): Slices {
  const slices = measured?.byWorkload.get(name) ?? { perSecond: [], cpuMs: [] };
  measured?.byWorkload.set(name, slices);
  return slices;
}

function readMachine(): { busyMs: number; at: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busyMs = (user + nice + system + irq + soft) * TICK_MS;
  return { busyMs, at: performance.now() };
}

function toWorkerTables(
  all: readonly Measured[],
  workloads: readonly Workload[],
): Table[] {
  const names = workloads.map(({ name }) => name);
  const grid = (title: string, values: (slices: Slices) => readonly number[]): Table => ({
    title,
    rows: [
      ['', ...names],
      ...all.map(({ count, byWorkload }) => [
        `WORKERS=${count}`,
        ...names.map((name) => {
          const some = values(byWorkload.get(name) ?? { perSecond: [], cpuMs: [] });
          const range = `${digits(Math.min(...some))} to ${digits(Math.max(...some))}`;
          return `${digits(median(some))} (${range})`;
        }),
      ]),
    ],
  });
  return [
    grid('Operations per second, median (lowest to highest)', (one) => one.perSecond),
    grid(
      'CPU for one operation, all processes of the gateway, median (lowest to highest) (ms)',
      (one) => one.cpuMs,
    ),
    {
      title: 'Memory at most, all processes of the gateway (MB)',
      rows: [
        ['', 'memory'],
        ...all.map(({ count, memory }) => [`WORKERS=${count}`, memory.toFixed(0)]),
      ],
    },
  ];
}
