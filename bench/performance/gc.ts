/** How long the garbage collector stops each target under one workload, from Node's `--trace-gc`. */
import type { Session } from './session.ts';
import { median } from './statistics.ts';
import type { Table } from './tables.ts';
import type { Target } from './targets.ts';
import type { Workload } from './workloads.ts';

const WARM_UP = { kind: 'closed', maxOperations: 5000, maxMs: 4000 } as const;
const TRACED = {
  kind: 'closed',
  maxOperations: Number.MAX_SAFE_INTEGER,
  maxMs: 6000,
} as const;

/** `[7:0x1] 176 ms: Scavenge 9.1 (9.9) -> 8.6 (10.9) MB, pooled: 0 MB, 0.89 / 0.00 ms  (average ...` */
const PAUSE = /: (Scavenge|Mark-Compact) .* ([\d.]+) \/ [\d.]+ ms/;

export interface Pauses {
  readonly name: string;
  readonly operations: number;
  /** Collections of young objects. Unit: milliseconds. */
  readonly scavenges: readonly number[];
  /** Collections of the whole heap. Unit: milliseconds. */
  readonly markCompacts: readonly number[];
}

/** The kind of collection that a line of the trace reports, and its pause. Unit: milliseconds. */
export function readPause(line: string): { kind: string; ms: number } | null {
  const [, kind, ms] = PAUSE.exec(line) ?? [];
  return kind === undefined ? null : { kind, ms: Number(ms) };
}

export async function measurePauses(
  session: Session,
  target: Target,
  workload: Workload,
): Promise<Pauses> {
  const subject = await session.start(target, { nodeOptions: ['--trace-gc'] });
  await session.run(subject, workload, WARM_UP);
  const scavenges: number[] = [];
  const markCompacts: number[] = [];
  subject.running.onLine = (line) => {
    const pause = readPause(line);
    if (pause?.kind === 'Scavenge') scavenges.push(pause.ms);
    if (pause?.kind === 'Mark-Compact') markCompacts.push(pause.ms);
  };
  const { operations } = await session.run(subject, workload, TRACED);
  await subject.running.stop();
  return { name: target.name, operations, scavenges, markCompacts };
}

export function toPauseTable(workload: Workload, all: readonly Pauses[]): Table {
  const ms = (value: number) => (Number.isFinite(value) ? value.toFixed(1) : 'none');
  const each = ({ scavenges, markCompacts, operations }: Pauses) =>
    [...scavenges, ...markCompacts].reduce((sum, pause) => sum + pause, 0) / operations;
  return {
    title: `Pauses of the garbage collector, ${workload.name} (ms)`,
    rows: [
      [
        '',
        'scavenge, median',
        'scavenge, longest',
        'whole heap, longest',
        'for one operation',
      ],
      ...all.map((pauses) => [
        pauses.name,
        ms(median(pauses.scavenges)),
        ms(Math.max(...pauses.scavenges)),
        ms(Math.max(...pauses.markCompacts)),
        each(pauses).toFixed(3),
      ]),
    ],
  };
}
