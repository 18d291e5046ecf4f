/**
 * Measures what a GraphQL operation costs: `npm run bench`, or `npm run bench -- --help`.
 *
 *   npm run bench -- --quick                       a look at all targets and workloads, in two minutes
 *   npm run bench -- --quick --only W1,W4 --alone  the gateway and the floor, in half a minute
 *   npm run bench -- --quick --alone --root ../a --root ../b   two checkouts side by side
 *   npm run bench -- --profile W1                  a CPU profile, and its top twenty functions
 *
 * The metric is the CPU time of the target's process for one operation, all threads, from the kernel's scheduler. It
 * changes less on a busy machine than rates and latencies do. docs/performance.md says how it is measured.
 */
import { measure } from './performance/measure.ts';
import { type Options, parseOptions, USAGE } from './performance/options.ts';
import { leaveMeasuredCore, pinned } from './performance/processes.ts';
import { profile } from './performance/profile.ts';
import { openSession } from './performance/session.ts';
import { toTables, toText } from './performance/tables.ts';
import {
  floor,
  gateway,
  installPeers,
  peers,
  runningGateway,
  type Target,
} from './performance/targets.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function gateways({ running, roots }: Options): Target[] {
  if (running !== undefined) return [runningGateway(running.url, running.pid)];
  if (roots.length === 0) return [gateway()];
  return roots.map((root) => gateway(root, root));
}

async function compare(options: Options): Promise<void> {
  if (!options.alone) installPeers(say);
  const targets = [...gateways(options), floor, ...(options.alone ? [] : peers)];
  const session = await openSession(options);
  say(`The service answers at ${session.messagingUrl}.`);
  const measurement = await measure(
    session,
    targets,
    options.workloads,
    options.plan,
    say,
  );
  await session.stop();
  for (const table of toTables(measurement)) say(`\n${toText(table)}`);
  const { service, load } = measurement.costs;
  say(`The service used ${(service * 1000).toFixed(1)} µs of CPU for each call,
the load generator ${(load * 1000).toFixed(1)} µs for each operation, ${pinned ? 'on a core of their own' : 'on the same cores'}.
Took ${(measurement.tookMs / 1000).toFixed(0)} s.`);
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return say(USAGE);
  leaveMeasuredCore();
  if (options.profile !== undefined) {
    for (const target of gateways(options)) await profile(target, options.profile, say);
  } else {
    await compare(options);
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
