/**
 * Measures what a GraphQL operation costs: `npm run bench`, or `npm run bench -- --help`.
 *
 * The metric is the CPU time of the target's process for one operation, all threads, from the kernel's scheduler. It
 * changes less on a busy machine than rates and latencies do. docs/performance.md says how it is measured.
 */
import { cpus } from 'node:os';
import { measure } from './performance/measure.ts';
import { type Options, parseOptions, USAGE } from './performance/options.ts';
import { leaveMeasuredCore, pinned, shareMeasuredCore } from './performance/processes.ts';
import { openSession } from './performance/session.ts';
import { toTable } from './performance/tables.ts';
import {
  floor,
  gateway,
  installPeers,
  peers,
  type Target,
} from './performance/targets.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** What is measured, in the order of the table. */
function targetsOf({ roots, workers, alone }: Options): Target[] {
  if (workers !== undefined)
    return workers.map((count) =>
      gateway(roots[0], `WORKERS=${count}`, {
        settings: { WORKERS: `${count}` },
        isPinned: false,
      }),
    );
  const gateways =
    roots.length === 0 ? [gateway()] : roots.map((root) => gateway(root, root));
  if (alone) return [...gateways, floor];
  installPeers(say);
  return [...gateways, floor, ...peers];
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return print(USAGE);
  if (process.platform !== 'linux') throw new Error('the benchmark needs Linux');
  // Workers share all cores with the service and the load generator, so this is not what more machines would bring.
  if (options.workers === undefined) leaveMeasuredCore();
  if (options.shared) shareMeasuredCore();
  await using session = await openSession(options.profile);
  const targets = targetsOf(options);
  const measurement = await measure(session, { ...options, targets, say });
  const { costs, tookMs } = measurement;
  const us = (ms: number) => `${(ms * 1000).toFixed(1)} µs`;
  print(`CPU for one operation in ms: median (lowest to highest)${targets.includes(floor) ? ', times the floor' : ''}. Latency in ms: median, 99th
percentile. Node ${process.version}, ${cpus().length} cores${pinned && options.workers === undefined ? `, the server ${options.shared ? 'beside a busy loop' : 'alone'} on one` : ''}; the run took ${(tookMs / 1000).toFixed()} s. The service used ${us(costs.service)} of CPU for
each call, the load generator ${us(costs.load)} for each operation.

${toTable(measurement)}`);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
