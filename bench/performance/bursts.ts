/** Operations that are sent at once, while the service takes its time. */
import type { Series } from './chart.ts';
import { connectInspector, type Inspector, WITH_INSPECTOR } from './inspector.ts';
import type { Result } from './orders.ts';
import { openSession, type Session, type Subject } from './session.ts';
import { median, quantile } from './statistics.ts';
import type { Table } from './tables.ts';
import { floor, type Target } from './targets.ts';
import { findWorkload, type Workload } from './workloads.ts';

type Say = (line: string) => void;

/** What the service takes to answer. Unit: milliseconds. */
const DELAY_MS = 50;
/** Long enough to look at the memory while all operations wait. Unit: milliseconds. */
const HOLD_MS = 4000;
/** Unit: bytes. */
const KILOBYTE = 1000;
export const AT_ONCE = [1, 10, 100, 1000];
const REPEATS = 5;
const WARM_UP = { kind: 'closed', maxOperations: 2000, maxMs: 4000 } as const;

const DEEPEST = findWorkload('W2');
/** The depth is the number of calls that follow one another. */
const BURSTS = [
  { workload: findWorkload('W4'), depth: 1 },
  { workload: DEEPEST, depth: 2 },
];
/** The default, and enough for a call of every operation. */
const CONNECTIONS = [64, 1024];

export interface BurstFigures {
  readonly table: Table;
  /** Medians of the deepest workload, by the number of operations at once. Unit: milliseconds. */
  readonly series: readonly Series[];
}

/** How long operations take if all come together. */
export async function measureBursts(target: Target, say: Say): Promise<BurstFigures> {
  const rows: string[][] = [];
  const series: Series[] = [];
  for (const connections of CONNECTIONS) {
    const session = await openSession({ delayMs: DELAY_MS });
    for (const one of [target, floor]) {
      const settings = { REST_CONNECTIONS: `${connections}` };
      const subject = await session.start(one, { settings });
      for (const { workload, depth } of BURSTS) {
        await session.run(subject, workload, WARM_UP);
        const bursts: Burst[] = [];
        for (const operations of AT_ONCE) {
          say(`${one.name}: bursts of ${operations}, ${workload.name}`);
          bursts.push(await burst(session, subject, workload, operations));
        }
        const alone = `${depth} x ${DELAY_MS} = ${depth * DELAY_MS}`;
        const name = `${one.name}, ${connections} connections`;
        rows.push([`${workload.name}, ${name}`, alone, ...bursts.map(toCell)]);
        if (workload !== DEEPEST) continue;
        series.push({ name, values: bursts.map(({ medianMs }) => medianMs) });
      }
      await subject.running.stop();
    }
    await session.stop();
  }
  const head = ['', 'service alone', ...AT_ONCE.map((count) => `${count} at once`)];
  const title = `Latency of operations sent at once, median and longest (ms); the service answers after ${DELAY_MS} ms`;
  return { table: { title, rows: [head, ...rows] }, series };
}

interface Burst {
  readonly medianMs: number;
  readonly longestMs: number;
  /** Share of the operations that the target refused because it had too many. */
  readonly refused: number;
}

async function burst(
  session: Session,
  subject: Subject,
  workload: Workload,
  operations: number,
): Promise<Burst> {
  const load = { kind: 'burst', operations } as const;
  await session.run(subject, workload, load); // It opens the connections.
  const results: Result[] = [];
  while (results.length < REPEATS) {
    results.push(await session.run(subject, workload, load));
  }
  const refused = results.reduce((sum, result) => sum + result.refused, 0);
  return {
    medianMs: median(results.map(({ latencies }) => median(latencies))),
    longestMs: median(results.map(({ latencies }) => quantile(latencies, 1))),
    refused: refused / REPEATS / operations,
  };
}

function toCell({ medianMs, longestMs, refused }: Burst): string {
  const latency = `${medianMs.toFixed(0)}, ${longestMs.toFixed(0)}`;
  return refused === 0 ? latency : `${latency}; ${(refused * 100).toFixed(0)} % refused`;
}

/** What an operation holds while it waits for the service. */
export async function measureMemory(target: Target, say: Say): Promise<Table> {
  const rows: string[][] = [];
  for (const { workload } of BURSTS) {
    const session = await openSession({ delayMs: HOLD_MS });
    const subject = await session.start(target, {
      ...WITH_INSPECTOR,
      settings: { REST_CONNECTIONS: `${AT_ONCE.at(-1)}` },
    });
    const inspector = await connectInspector(subject.running.errors);
    const cells: string[] = [];
    for (const operations of AT_ONCE.slice(1)) {
      say(`memory of ${operations} waiting operations, ${workload.name}`);
      const load = { kind: 'burst', operations } as const;
      await session.run(subject, workload, load); // It opens the connections.
      const before = await heapBytes(inspector);
      const running = session.run(subject, workload, load);
      await new Promise((resolve) => setTimeout(resolve, HOLD_MS / 2));
      const during = await heapBytes(inspector);
      await running;
      cells.push(`${((during - before) / KILOBYTE / operations).toFixed(1)}`);
    }
    inspector.close();
    await session.stop();
    rows.push([workload.name, ...cells]);
  }
  return {
    title: 'Memory of an operation that waits for the service (KB), after a collection',
    rows: [['', ...AT_ONCE.slice(1).map((count) => `${count} at once`)], ...rows],
  };
}

/** What is in use after a collection, buffers included. Unit: bytes. */
async function heapBytes(inspector: Inspector): Promise<number> {
  await inspector.send('HeapProfiler.collectGarbage');
  const usage = await inspector.send('Runtime.getHeapUsage');
  const { usedSize, backingStorageSize } = usage as Record<string, number>;
  return (usedSize ?? 0) + (backingStorageSize ?? 0);
}
