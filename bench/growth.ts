/**
 * Measures how the gateway's costs grow: with operations at once, with open subscriptions beside them, with the length of a page, and
 * with that of a list. docs/performance.md has the result. Linux only. Some six minutes. Needs 11,000 open files (`ulimit -n`).
 *
 *     npm run growth
 */
import { ask } from '../test/support/gateway.ts';
import { startUpstream } from '../test/support/upstream.ts';
import { wireMessage, wirePage } from '../test/support/wire.ts';
import { toChart } from './performance/charts.ts';
import { leaveMeasuredCore } from './performance/processes.ts';
import { openSession, type Subject } from './performance/session.ts';
import { median, quantile } from './performance/statistics.ts';
import { floor, gateway } from './performance/targets.ts';
import { findWorkload, type Operation } from './performance/workloads.ts';
import { MEGABYTE, memoryOf, startGateway } from './process.ts';
import { openStream } from './streams.ts';

const AT_ONCE = [1, 10, 100, 1000, 5000];
const SUBSCRIPTIONS = [0, 100, 1000, 10_000];
/** Subscriptions that share a token and a list. */
const SHARED = 20;
const PAGES = [10, 20, 50, 100];
const LIST = 100_000;
const PAGE = 100;
const SLICE_MS = 3000;
const ROUNDS = 3;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const row = (...cells: (string | number)[]): void => print(`| ${cells.join(' | ')} |`);
const head = (...cells: string[]): void => {
  row(...cells);
  row('---', ...cells.slice(1).map(() => '---:'));
};
const digits = (value: number): string => value.toPrecision(3);
const held = ({ running }: Subject): string =>
  (memoryOf(running.pid) / MEGABYTE).toFixed();

/** Draws what an operation costs by how many there are of something. Unit: milliseconds. */
const draw = (title: string, values: readonly number[], costs: readonly number[]): void =>
  print(
    `\n${toChart({
      title: 'CPU for one operation',
      x: { title, values },
      y: { title: 'ms', values: costs },
    })}`,
  );

leaveMeasuredCore();
await using session = await openSession();
const { operations } = findWorkload('W4');
const subjects = [
  await session.start(
    gateway(undefined, 'gateway', { settings: { MAX_SUBSCRIPTIONS: '20000' } }),
  ),
  await session.start(floor),
];
const [subject] = subjects as [Subject, Subject];
for (const one of subjects)
  await session.run(one, operations, {
    kind: 'closed',
    maxOperations: 10_000,
    maxMs: 10_000,
  });

/** Runs a load several times; the medians of its figures. */
async function measure(
  one: Subject,
  wanted: readonly Operation[],
  connections: number,
): Promise<{ cpuMs: number; latency: number; p99: number; refused: number }> {
  const runs = [];
  for (let round = 0; round < ROUNDS; round += 1)
    runs.push(
      await session.run(one, wanted, {
        kind: 'closed',
        maxOperations: Number.MAX_SAFE_INTEGER,
        maxMs: SLICE_MS,
        connections,
      }),
    );
  const latencies = runs.flatMap((run) => run.latencies);
  return {
    cpuMs: median(runs.map((run) => run.cpuMs)),
    latency: median(latencies),
    p99: quantile(latencies, 0.99),
    refused: runs.reduce((sum, run) => sum + run.refused, 0),
  };
}

print('\n**Operations at once** (W4)\n');
head(
  'at once',
  'CPU (ms)',
  'floor: CPU',
  'latency, median and 99th percentile (ms)',
  'floor: latency',
  'refused',
  'memory (MB)',
);
let costs: number[] = [];
for (const connections of AT_ONCE) {
  const [own, base] = [
    await measure(subject, operations, connections),
    await measure(subjects[1] as Subject, operations, connections),
  ];
  row(
    connections,
    digits(own.cpuMs),
    digits(base.cpuMs),
    `${digits(own.latency)}, ${digits(own.p99)}`,
    `${digits(base.latency)}, ${digits(base.p99)}`,
    own.refused,
    held(subject),
  );
  costs.push(own.cpuMs);
}
draw('operations at once', AT_ONCE, costs);

print('\n**Items of a page**: `messages(first: n)`, with id, text and contact\n');
head('items', 'CPU (ms)', 'CPU for one item (µs)');
for (const items of PAGES) {
  const query = `{ messages(first: ${items}) { nodes { id message contact { username } } } }`;
  const page = { calls: 1, graphql: { query }, endpoint: { path: '/' } };
  const { cpuMs } = await measure(subject, [page], 32);
  row(items, digits(cpuMs), digits((cpuMs / items) * 1000));
}

print(
  '\n**Open subscriptions beside them** (W4 at 32 at once; 20 share a token and a list)\n',
);
head(
  'subscriptions',
  'CPU for one operation and the polls of that time (ms)',
  'latency, median and 99th percentile (ms)',
  'memory (MB)',
);
let open = 0;
costs = [];
for (const wanted of SUBSCRIPTIONS) {
  while (open < wanted) {
    const next = Array.from({ length: Math.min(50, wanted - open) }, (_, index) => {
      const token = Math.floor((open + index) / SHARED);
      const query = `subscription { messageChanged(conversationId: "live${token}") { messageId } }`;
      return openStream(subject.running.url, query, `live-${token}`);
    });
    open += next.length;
    await Promise.all(next);
  }
  const { cpuMs, latency, p99 } = await measure(subject, operations, 32);
  row(open, digits(cpuMs), `${digits(latency)}, ${digits(p99)}`, held(subject));
  costs.push(cpuMs);
}
draw('open subscriptions', SUBSCRIPTIONS, costs);

print(`\n**A list of ${LIST} messages**, walked in pages of ${PAGE}\n`);
await using upstream = await startUpstream(({ line }) => {
  const { searchParams } = new URL(line.split(' ')[1] ?? '', 'http://service');
  const after = Number((searchParams.get('starting_after') ?? 'm0').slice(1));
  const limit = Number(searchParams.get('limit'));
  const count = Math.min(limit, LIST - after);
  const items = Array.from({ length: count }, (_, index) => {
    const number = after + index + 1;
    return wireMessage(`m${number}`, { created_at: 2_000_000 - number });
  });
  return { body: wirePage(items, after + count < LIST) };
});
await using walked = await startGateway(upstream.url, { PAGING: 'starting_after' });
head('pages', 'CPU for one page (ms)', 'calls for one page', 'memory (MB)');
let cursor: string | null = null;
for (let pages = 0; pages < LIST / PAGE; ) {
  const before = { cpuMs: walked.cpuMs(), calls: upstream.calls.length };
  const first = pages + 1;
  for (const end = pages + LIST / PAGE / 5; pages < end; pages += 1) {
    const { data } = await ask(
      walked.url,
      'query ($after: String) { messages(first: 100, after: $after) { nodes { id } pageInfo { endCursor } } }',
      { variables: { after: cursor } },
    );
    cursor = data.messages.pageInfo.endCursor;
  }
  const made = pages - first + 1;
  row(
    `${first} to ${pages}`,
    digits((walked.cpuMs() - before.cpuMs) / made),
    digits((upstream.calls.length - before.calls) / made),
    (walked.memory() / MEGABYTE).toFixed(),
  );
}
await walked.terminate();
process.exit(0);
