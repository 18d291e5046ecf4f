/**
 * Measures what a start costs, of this gateway and its peers: from the start of the process until it listens, until its first answer,
 * and until operations cost no more than twice what they cost in the end. docs/performance.md has the result. Linux only. Some six
 * minutes.
 *
 *     npm run starts                 # this checkout
 *     npm run starts -- DIRECTORY    # an installed package, too
 */
import { leaveMeasuredCore } from './performance/processes.ts';
import { openSession } from './performance/session.ts';
import { median } from './performance/statistics.ts';
import { floor, gateway, installPeers, peers } from './performance/targets.ts';
import { findWorkload } from './performance/workloads.ts';

const ROUNDS = 7;
/** Unit: milliseconds. */
const SLICE_MS = 200;
/** Slices of one start; the last ones show what operations cost in the end. */
const SLICES = { all: 40, last: 10 };

interface Start {
  readonly listening: number;
  readonly answered: number;
  readonly halfSpeed: number;
}

leaveMeasuredCore();
installPeers((line) => process.stderr.write(`${line}\n`));
const directories = process.argv.slice(2);
const targets = [
  gateway(),
  ...directories.map((directory) => gateway(directory, directory)),
  floor,
  ...peers,
];
const { operations } = findWorkload('mix');
const starts = new Map<string, Start[]>(targets.map(({ name }) => [name, []]));

for (let round = 0; round < ROUNDS; round += 1) {
  for (const target of targets) {
    await using session = await openSession();
    const began = performance.now();
    const subject = await session.start(target);
    const listening = performance.now() - began;
    const load = (maxOperations: number) => ({
      kind: 'closed' as const,
      maxOperations,
      maxMs: SLICE_MS,
    });
    await session.run(subject, operations, load(1));
    const answered = performance.now() - began;
    const slices: { cpuMs: number; end: number }[] = [];
    for (let slice = 0; slice < SLICES.all; slice += 1) {
      const { cpuMs } = await session.run(subject, operations, load(1e9));
      slices.push({ cpuMs, end: performance.now() - began });
    }
    const final = median(slices.slice(-SLICES.last).map(({ cpuMs }) => cpuMs));
    const fast = slices.find(({ cpuMs }) => cpuMs <= 2 * final);
    starts
      .get(target.name)
      ?.push({ listening, answered, halfSpeed: fast?.end ?? Number.NaN });
    process.stderr.write(`${round + 1} of ${ROUNDS}: ${target.name}\n`);
  }
}

const cell = (values: readonly number[]): string =>
  `${median(values).toFixed()} (${Math.min(...values).toFixed()} to ${Math.max(...values).toFixed()})`;
process.stdout.write(
  `Milliseconds from the start of the process, median (lowest to highest) of ${ROUNDS} starts in turns.\n\n| | it listens | first answer | half of its final speed |\n|---|---:|---:|---:|\n`,
);
for (const [name, all] of starts)
  process.stdout.write(
    `| ${name} | ${cell(all.map((one) => one.listening))} | ${cell(all.map((one) => one.answered))} | ${cell(all.map((one) => one.halfSpeed))} |\n`,
  );
process.exit(0);
