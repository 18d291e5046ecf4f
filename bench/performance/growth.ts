/** How cost grows with operations at once, and with the length of a list. */
import { lineChart, type Series } from './chart.ts';
import { CURSOR, type Result } from './orders.ts';
import { openSession, type Session, type Subject } from './session.ts';
import { median, quantile } from './statistics.ts';
import { digits, type Table } from './tables.ts';
import { floor, type Target } from './targets.ts';
import { findWorkload, type Workload } from './workloads.ts';

type Say = (line: string) => void;

interface Grown {
  readonly table: Table;
  readonly series: readonly Series[];
}

/** What the service takes to answer a burst. Unit: milliseconds. */
const DELAY_MS = 50;
const AT_ONCE = [1, 10, 100, 1000];
const REPEATS = 5;
const WARM_UP = { kind: 'closed', maxOperations: 2000, maxMs: 4000 } as const;
/** The depth is the number of calls that follow one another. */
const BURSTS = [
  { workload: findWorkload('W4'), depth: 1 },
  { workload: findWorkload('W2'), depth: 2 },
];
/** The default, and enough for a call of every operation. */
const CONNECTIONS = [64, 1024];

const LENGTHS = [10, 100, 1000, 10_000];
const STYLES = ['limit', 'starting_after', 'offset', 'page'];
const WALK_PAGE = 100;
/** Short walks are repeated more often, because their figures vary more. */
const WALKED_ITEMS = 3000;

export async function measureGrowth(target: Target, say: Say) {
  const bursts = await measureBursts(target, say);
  const walks = await measureWalks(target, say);
  return {
    tables: [bursts.table, walks.table],
    /** SVG, by the name of the file. */
    charts: {
      'growth-at-once': lineChart({
        title: 'Median latency of W2, two calls of 50 ms one after the other (ms)',
        xTitle: 'operations at once',
        yTitle: 'ms',
        x: AT_ONCE,
        series: bursts.series,
      }),
      'growth-walks': lineChart({
        title: `CPU of a walk through a list, pages of ${WALK_PAGE} (ms)`,
        xTitle: 'messages in the list',
        yTitle: 'ms',
        x: LENGTHS,
        series: walks.series,
      }),
    },
  };
}

/** How long operations take if all come together. */
async function measureBursts(target: Target, say: Say): Promise<Grown> {
  const rows: string[][] = [];
  const series: Series[] = [];
  for (const connections of CONNECTIONS) {
    const session = await openSession({ delayMs: DELAY_MS });
    for (const one of [target, floor]) {
      const settings = { REST_CONNECTIONS: `${connections}` };
      const subject = await session.start(one, { settings });
      const name = `${one.name}, ${connections} connections`;
      for (const { workload, depth } of BURSTS) {
        say(`${name}: bursts of ${workload.name}`);
        await session.run(subject, workload, WARM_UP);
        const bursts: Burst[] = [];
        for (const operations of AT_ONCE)
          bursts.push(await burst(session, subject, workload, operations));
        const alone = `${depth} x ${DELAY_MS} = ${depth * DELAY_MS}`;
        rows.push([`${workload.name}, ${name}`, alone, ...bursts.map(toCell)]);
        if (depth > 1)
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
  // The first ones open the connections, and make the callers known to the gateway.
  for (let times = 0; times < 3; times += 1) await session.run(subject, workload, load);
  const results: Result[] = [];
  while (results.length < REPEATS)
    results.push(await session.run(subject, workload, load));
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

const WALK_QUERY = `query Walk($list: ID!, $after: String) {
  messages(conversationId: $list, first: ${WALK_PAGE}, after: $after) {
    nodes { id message }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** What a walk from one end of a list to the other takes, in each paging style. */
async function measureWalks(target: Target, say: Say): Promise<Grown> {
  const series: { name: string; values: number[] }[] = [];
  const rows: string[][] = [];
  for (const style of STYLES) {
    const session = await openSession();
    const subject = await session.start(target, { settings: { PAGING: style } });
    const values: number[] = [];
    const cells: string[] = [];
    await walk(session, subject, 1000);
    for (const length of LENGTHS) {
      say(`walks through ${length} messages, PAGING=${style}`);
      const { cpu, calls } = await walk(session, subject, length);
      values.push(cpu);
      cells.push(`${calls}, ${digits(cpu)}`);
    }
    await session.stop();
    series.push({ name: `PAGING=${style}`, values });
    rows.push([`\`${style}\``, ...cells]);
  }
  const head = LENGTHS.map((length) => `${length.toLocaleString('en')} messages`);
  const title = `A walk from one end of a list to the other, pages of ${WALK_PAGE}: REST calls, CPU (ms)`;
  return { series, table: { title, rows: [['', ...head], ...rows] } };
}

/** Walks a list several times. Throws if an item is missing. Gives the median of its CPU (ms), and its REST calls. */
async function walk(session: Session, subject: Subject, length: number) {
  const name = `a walk through ${length}`;
  const variables = { list: `walk${length}`, after: CURSOR.slice(1, -1) };
  const workload: Workload = {
    name,
    title: name,
    calls: null,
    operation: { query: WALK_QUERY, variables },
    endpoint: { method: 'GET', path: '/none' },
  };
  const repeats = Math.min(30, Math.max(3, Math.ceil(WALKED_ITEMS / length)));
  const cpu: number[] = [];
  let calls = 0;
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const done = await session.run(subject, workload, { kind: 'walk' });
    if (done.items !== length)
      throw new Error(`the walk found ${done.items} of ${length} messages`);
    cpu.push(done.cpuMs * done.operations);
    calls = Math.round(done.calls * done.operations);
  }
  return { cpu: median(cpu), calls };
}
