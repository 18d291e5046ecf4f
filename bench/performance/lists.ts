/** Pages of growing length, and walks through growing lists. */
import { CURSOR } from './orders.ts';
import { openSession, type Session, type Subject } from './session.ts';
import { median } from './statistics.ts';
import { digits, type Table } from './tables.ts';
import type { Target } from './targets.ts';
import type { Workload } from './workloads.ts';

type Say = (line: string) => void;

const REPEATS = 5;
const WARM_UP = { kind: 'closed', maxOperations: 2000, maxMs: 4000 } as const;
const PAGE_SIZES = [10, 20, 50, 100];
const SLICE = {
  kind: 'closed',
  maxOperations: Number.MAX_SAFE_INTEGER,
  maxMs: 1500,
} as const;
export const LENGTHS = [10, 100, 1000, 10_000];
const STYLES = ['limit', 'starting_after', 'offset', 'page'];
export const WALK_PAGE = 100;
/** Short walks are repeated more often, because their figures vary more. */
const WALKED_ITEMS = 3000;

const operation = (name: string, query: string, variables: object): Workload => ({
  name,
  title: name,
  calls: null,
  operation: { query, variables },
  endpoint: { method: 'GET', path: '/none' },
});

const PAGE_QUERY = `query Page($first: Int!) {
  messages(first: $first) { nodes { id message createdAt contact { id username avatarUrl } } }
}`;

export async function measurePages(target: Target, say: Say): Promise<Table> {
  const session = await openSession();
  const subject = await session.start(target);
  const sizes = PAGE_SIZES.map((size) => ({
    size,
    workload: operation(`a page of ${size}`, PAGE_QUERY, { first: size }),
    cpu: [] as number[],
  }));
  for (const { workload } of sizes) await session.run(subject, workload, WARM_UP);
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    for (const { workload, cpu } of sizes) {
      say(`${workload.name}, ${repeat + 1} of ${REPEATS}`);
      cpu.push((await session.run(subject, workload, SLICE)).cpuMs);
    }
  }
  await session.stop();
  return {
    title: 'CPU of a page of messages, by its length',
    rows: [
      ['', ...PAGE_SIZES.map((size) => `${size} messages`)],
      ['for the page (ms)', ...sizes.map(({ cpu }) => digits(median(cpu)))],
      [
        'for each message (µs)',
        ...sizes.map(({ cpu, size }) => digits((median(cpu) / size) * 1000)),
      ],
    ],
  };
}

const WALK_QUERY = `query Walk($list: ID!, $after: String) {
  messages(conversationId: $list, first: ${WALK_PAGE}, after: $after) {
    nodes { id message }
    pageInfo { hasNextPage endCursor }
  }
}`;

export async function measureWalks(target: Target, say: Say) {
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
  const head = [
    '',
    ...LENGTHS.map((length) => `${length.toLocaleString('en')} messages`),
  ];
  const title = `A walk from one end of a list to the other, pages of ${WALK_PAGE}: REST calls, CPU (ms)`;
  return { series, table: { title, rows: [head, ...rows] } };
}

/** Walks a list several times. Throws if an item is missing. Gives the median of its CPU (ms), and its REST calls. */
async function walk(session: Session, subject: Subject, length: number) {
  const variables = { list: `walk${length}`, after: CURSOR.slice(1, -1) };
  const workload = operation(`a walk through ${length}`, WALK_QUERY, variables);
  const repeats = Math.min(30, Math.max(3, Math.ceil(WALKED_ITEMS / length)));
  const cpu: number[] = [];
  let calls = 0;
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const done = await session.run(subject, workload, { kind: 'walk' });
    if (done.items !== length) {
      throw new Error(`the walk found ${done.items} of ${length} messages`);
    }
    cpu.push(done.cpuMs * done.operations);
    calls = Math.round(done.calls * done.operations);
  }
  return { cpu: median(cpu), calls };
}
