/**
 * Measures what a GraphQL operation costs: `npm run bench`, or `npm run bench -- --help`.
 *
 * The metric is the CPU time of the target's process for one operation, all threads, from the kernel's scheduler. It
 * changes less on a busy machine than rates and latencies do. docs/performance.md says how it is measured.
 */
import { writeChart, writeTables } from './performance/docs.ts';
import { measureGrowth } from './performance/growth.ts';
import { measure } from './performance/measure.ts';
import { type Options, parseOptions, USAGE } from './performance/options.ts';
import { leaveMeasuredCore, pinned } from './performance/processes.ts';
import { profile, record, toRoomTable } from './performance/profile.ts';
import { openSession } from './performance/session.ts';
import { toRatioChart, toTables, toText, toWorkerTables } from './performance/tables.ts';
import {
  floor,
  gateway,
  installPeers,
  peers,
  type Target,
} from './performance/targets.ts';
import { findWorkload } from './performance/workloads.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const gateways = ({ roots }: Options): Target[] =>
  roots.length === 0 ? [gateway()] : roots.map((root) => gateway(root, root));

/** What is measured, in the order of the tables. */
function targetsOf(options: Options): Target[] {
  if (options.alone) return [...gateways(options), floor];
  installPeers(say);
  return [...gateways(options), floor, ...peers];
}

async function compare(options: Options): Promise<void> {
  const { workloads, plan, isWhole, acceptEncoding } = options;
  const session = await openSession({ acceptEncoding });
  const measurement = await measure(session, targetsOf(options), workloads, plan, say);
  await session.stop();
  const tables = toTables(measurement);
  for (const table of tables) say(`\n${toText(table)}`);
  const us = (ms: number) => `${(ms * 1000).toFixed(1)} µs`;
  const { costs, tookMs } = measurement;
  const took = `${(tookMs / 1000).toFixed()} s`;
  say(`
The service used ${us(costs.service)} of CPU for each call, the load generator ${us(costs.load)} for each operation,
${pinned ? 'on a core of their own' : 'on the same cores'}. Took ${took}.`);
  if (!isWhole) return;
  writeChart('performance', toRatioChart(measurement));
  writeTables(
    'comparison',
    tables,
    `; the run took ${took}. The service used ${us(costs.service)} of CPU for each call, the
load generator ${us(costs.load)} for each operation`,
  );
  // One workload of many calls, and one of a single call.
  const recordings = [];
  for (const name of ['W1', 'W4'])
    recordings.push(await record(gateway(), findWorkload(name)));
  say(`Wrote ${writeTables('profile', [toRoomTable(recordings)])}`);
}

async function grow(options: Options): Promise<void> {
  for (const target of gateways(options)) {
    const { tables, charts } = await measureGrowth(target, say);
    for (const table of tables) say(`\n${toText(table)}`);
    if (!options.isWhole) continue;
    for (const [name, chart] of Object.entries(charts)) writeChart(name, chart);
    say(`Wrote ${writeTables('growth', tables)}`);
  }
}

/** The service and the load generator share the cores with the gateway, so this is not what more machines would bring. */
async function compareWorkers(options: Options, counts: readonly number[]) {
  const { workloads, plan, roots, isWhole, acceptEncoding } = options;
  const session = await openSession({ acceptEncoding });
  const targets = counts.map((count) =>
    gateway(roots[0], `WORKERS=${count}`, {
      settings: { WORKERS: `${count}` },
      isPinned: false,
    }),
  );
  const measurement = await measure(session, targets, workloads, plan, say);
  await session.stop();
  const tables = toWorkerTables(measurement);
  for (const table of tables) say(`\n${toText(table)}`);
  if (isWhole) say(`Wrote ${writeTables('workers', tables)}`);
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return say(USAGE);
  if (process.platform !== 'linux') throw new Error('the benchmark needs Linux');
  if (options.workers !== undefined) return compareWorkers(options, options.workers);
  leaveMeasuredCore();
  if (options.growth) return grow(options);
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
