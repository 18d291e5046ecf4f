/**
 * Measures what a GraphQL operation costs: `npm run bench`, or `npm run bench -- --help`.
 *
 *   npm run bench -- --quick                       a look at all targets and workloads, in two minutes
 *   npm run bench -- --quick --only W1,W4 --alone  the gateway and the floor, in half a minute
 *   npm run bench -- --quick --alone --root ../a --root ../b   two checkouts side by side
 *   npm run bench -- --gc --alone                  pauses of the garbage collector
 *   npm run bench -- --growth                      what grows with operations, pages and lists
 *   npm run bench -- --workers 1,2                 operations per second, by the number of workers
 *   npm run bench -- --profile W1                  a CPU profile, and its top twenty functions
 *
 * The metric is the CPU time of the target's process for one operation, all threads, from the kernel's scheduler. It
 * changes less on a busy machine than rates and latencies do. docs/performance.md says how it is measured.
 */
import { measurePauses, type Pauses, toPauseTable } from './performance/gc.ts';
import { measureGrowth } from './performance/growth.ts';
import { measure } from './performance/measure.ts';
import { type Options, parseOptions, USAGE } from './performance/options.ts';
import { leaveMeasuredCore, pinned } from './performance/processes.ts';
import { profile, type Recording, record, toRoomTable } from './performance/profile.ts';
import {
  publishComparison,
  publishGrowth,
  publishProfile,
  publishWorkers,
} from './performance/publish.ts';
import { openSession, type Session } from './performance/session.ts';
import { type Table, toTables, toText } from './performance/tables.ts';
import {
  floor,
  gateway,
  installPeers,
  peers,
  runningGateway,
  type Target,
} from './performance/targets.ts';
import { measureWorkers } from './performance/workers.ts';
import { findWorkload } from './performance/workloads.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function gateways({ running, roots }: Options): Target[] {
  if (running !== undefined) return [runningGateway(running.url, running.pid)];
  if (roots.length === 0) return [gateway()];
  return roots.map((root) => gateway(root, root));
}

/** What is measured, in the order of the tables. */
function targetsOf(options: Options): Target[] {
  if (options.alone) return [...gateways(options), floor];
  installPeers(say);
  return [...gateways(options), floor, ...peers];
}

async function compare(options: Options): Promise<void> {
  const targets = targetsOf(options);
  const session = await openSession(options);
  say(`The service answers at ${session.messagingUrl}.`);
  const { workloads, plan } = options;
  const measurement = await measure(session, targets, workloads, plan, say);
  const tables = toTables(measurement);
  if (options.isWhole) tables.push(await pauses(options, session, targets));
  await session.stop();
  const [first] = targets;
  const profiled = options.isWhole && first ? await timeByRoom(first) : undefined;
  for (const table of tables) say(`\n${toText(table)}`);
  if (profiled) say(`\n${toText(profiled)}`);
  const { service, load } = measurement.costs;
  say(`
The service used ${(service * 1000).toFixed(1)} µs of CPU for each call, the load generator ${(load * 1000).toFixed(1)} µs for each operation,
${pinned ? 'on a core of their own' : 'on the same cores'}. Took ${(measurement.tookMs / 1000).toFixed(0)} s.`);
  if (!profiled) return;
  publishProfile(profiled);
  say(`Wrote ${publishComparison(measurement, tables)}`);
}

/** For one workload of many calls, and one of a single call. */
async function timeByRoom(target: Target): Promise<Table> {
  const recordings: Recording[] = [];
  for (const name of ['W1', 'W4']) {
    say(`profile of ${target.name}, ${name}`);
    recordings.push(await record(target, findWorkload(name)));
  }
  return toRoomTable(recordings);
}

async function pauses(
  { workloads }: Options,
  session: Session,
  targets: readonly Target[],
): Promise<Table> {
  const workload = workloads.find(({ name }) => name === 'W1') ?? workloads[0];
  if (workload === undefined) throw new Error('there is no workload');
  const all: Pauses[] = [];
  for (const target of targets) {
    say(`pauses of ${target.name}, ${workload.name}`);
    all.push(await measurePauses(session, target, workload));
  }
  return toPauseTable(workload, all);
}

async function showPauses(options: Options): Promise<void> {
  const session = await openSession(options);
  say(`\n${toText(await pauses(options, session, targetsOf(options)))}`);
  await session.stop();
}

async function grow(options: Options): Promise<void> {
  for (const target of gateways(options)) {
    const growth = await measureGrowth(target, say);
    for (const table of growth.tables) say(`\n${toText(table)}`);
    if (options.isWhole) say(`Wrote ${publishGrowth(growth)}`);
  }
}

/** The service and the load generator share the cores with the gateway, so this is not what more machines would bring. */
async function compareWorkers(options: Options, counts: readonly number[]) {
  const session = await openSession(options);
  const workloads = options.isWhole ? ['W1', 'W4'].map(findWorkload) : options.workloads;
  const [target] = gateways(options);
  if (target === undefined) throw new Error('there is no gateway');
  const measured = await measureWorkers(session, target, { counts, workloads }, say);
  await session.stop();
  for (const table of measured.tables) say(`\n${toText(table)}`);
  say(`\nOther programs used ${(measured.othersBusy * 100).toFixed(0)} % of the cores.`);
  const { tables, othersBusy } = measured;
  if (options.isWhole) say(`Wrote ${publishWorkers(tables, othersBusy)}`);
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return say(USAGE);
  if (process.platform !== 'linux') throw new Error('the benchmark needs Linux');
  if (options.workers !== undefined) return compareWorkers(options, options.workers);
  leaveMeasuredCore();
  if (options.growth) return grow(options);
  if (options.gc) return showPauses(options);
  if (options.profile === undefined) return compare(options);
  for (const target of gateways(options)) await profile(target, options.profile, say);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
