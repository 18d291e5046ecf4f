/**
 * Asks one gateway the mix of all workloads for an hour, at half of the rate that it can do, and prints its memory and its latency
 * over that time. docs/performance.md has the result. Linux only.
 *
 *     npm run soak -- 60   # minutes
 */
import { type Chart, toChart } from './performance/charts.ts';
import { leaveMeasuredCore } from './performance/processes.ts';
import { openSession } from './performance/session.ts';
import { quantile } from './performance/statistics.ts';
import { gateway } from './performance/targets.ts';
import { findWorkload, MODERATE } from './performance/workloads.ts';
import { MEGABYTE, memoryOf } from './process.ts';

const minutes = Number(process.argv[2] ?? 60);
const MINUTE_MS = 60_000;
const WARM_UP = { kind: 'closed', maxOperations: 20_000, maxMs: 20_000 } as const;
/** What one point of a chart shows. Unit: minutes. */
const perPoint = Math.max(1, Math.round(minutes / 12));

interface Minute {
  readonly cpuMs: number;
  readonly median: number;
  readonly p99: number;
  readonly memory: number;
}

leaveMeasuredCore();
await using session = await openSession();
const subject = await session.start(gateway());
const { operations } = findWorkload('mix');
const { cpuMs } = await session.run(subject, operations, WARM_UP);
const perSecond = Number(((1000 / cpuMs) * MODERATE).toPrecision(2));
const seen: Minute[] = [];
for (let minute = 0; minute < minutes; minute += 1) {
  const load = { kind: 'open', perSecond, maxMs: MINUTE_MS } as const;
  const run = await session.run(subject, operations, load);
  const [median, p99] = [0.5, 0.99].map((share) => quantile(run.latencies, share));
  const memory = memoryOf(subject.running.pid) / MEGABYTE;
  seen.push({ cpuMs: run.cpuMs, median, p99, memory } as Minute);
  process.stderr.write(
    `minute ${minute + 1}: ${run.cpuMs.toFixed(3)} ms of CPU, ${median?.toFixed(2)} and ${p99?.toFixed(1)} ms, ${memory.toFixed()} MB\n`,
  );
}

/** The median of the minutes of each point. */
function chart(title: string, unit: string, of: (minute: Minute) => number): Chart {
  const points = Array.from({ length: Math.ceil(seen.length / perPoint) }, (_, point) =>
    seen.slice(point * perPoint, (point + 1) * perPoint),
  );
  const ends = points.map((_, point) => Math.min((point + 1) * perPoint, seen.length));
  const values = points.map((point) => quantile(point.map(of), 0.5));
  return { title, x: { title: 'minutes', values: ends }, y: { title: unit, values } };
}

const charts = [
  chart('Memory of the process', 'MB', ({ memory }) => memory),
  chart('99th percentile of the latency', 'ms', ({ p99 }) => p99),
  chart('CPU for one operation', 'ms', ({ cpuMs }) => cpuMs),
];
process.stdout.write(
  `The mix at ${perSecond} operations a second for ${minutes} minutes, ${perSecond * 60 * minutes} operations.\n\n${charts.map(toChart).join('\n\n')}\n`,
);
process.exit(0);
