/** CPU for each operation, memory and latency of several targets, in alternating slices. */
import { MEGABYTE, memoryOf, processesOf } from '../process.ts';
import type { Load } from './orders.ts';
import type { Session, Subject } from './session.ts';
import { median } from './statistics.ts';
import type { Target } from './targets.ts';
import { MODERATE, type Workload } from './workloads.ts';

export interface Plan {
  /** How often all targets are started anew. Two processes of the same code differ by up to a tenth for their whole life. */
  readonly restarts: number;
  /** Slices of each workload and target after each start. */
  readonly rounds: number;
  readonly sliceMs: number;
  /** Of each workload, on each start. */
  readonly warmUp: { readonly maxOperations: number; readonly maxMs: number };
  /** Nothing begins that would not end in this time, if it took as long as before. Unit: milliseconds. */
  readonly maxMs: number;
  /** Whether all targets are also asked at the same rate. */
  readonly atEqualRates: boolean;
}

/** How a workload is sent. */
export interface Condition {
  readonly workload: Workload;
  /** Empty: none is accepted. */
  readonly acceptEncoding: string;
  /** The share of the slowest target's rate; null: without pauses. */
  readonly share: number | null;
}

export interface Slices {
  /** CPU for one operation, of each slice. Unit: milliseconds. */
  readonly cpu: number[];
  /** Of each slice. */
  readonly perSecond: number[];
  /** Of each operation at a fixed rate. Unit: milliseconds. */
  readonly latencies: number[];
  refused: number;
}

export interface Figures {
  readonly target: Target;
  readonly slices: Map<Condition, Slices>;
  /** The most memory that its processes held, after each start. Unit: megabytes. */
  readonly memory: number[];
}

export interface Measurement {
  readonly conditions: readonly Condition[];
  readonly figures: readonly Figures[];
  /** Of the conditions at a share of it: the rate. Unit: operations per second. */
  readonly rates: ReadonlyMap<Condition, number>;
  readonly costs: { readonly service: number; readonly load: number };
  readonly tookMs: number;
}

/** A target that runs, and its figures. */
interface Running {
  readonly subject: Subject;
  readonly figures: Figures;
}

export interface MeasureOptions {
  readonly targets: readonly Target[];
  readonly workloads: readonly Workload[];
  /** Every workload is sent with each of these headers; empty: without one. */
  readonly acceptEncodings: readonly string[];
  readonly plan: Plan;
  readonly say: (line: string) => void;
}

export async function measure(
  session: Session,
  { targets, workloads, acceptEncodings, plan, say }: MeasureOptions,
): Promise<Measurement> {
  const began = performance.now();
  const all = targets.map(
    (target): Figures => ({ target, slices: new Map(), memory: [] }),
  );
  const conditions = acceptEncodings.flatMap((acceptEncoding) =>
    workloads.flatMap((workload) =>
      [null, ...(plan.atEqualRates ? (workload.shares ?? [MODERATE]) : [])].map(
        (share): Condition => ({ workload, acceptEncoding, share }),
      ),
    ),
  );
  const rates = new Map<Condition, number>();
  const elapsedMs = () => performance.now() - began;
  /** How long the last warm-up and the last round took. */
  const took = { warmUp: 0, round: 0 };
  for (let start = 1; start <= plan.restarts; start += 1) {
    if (elapsedMs() + took.warmUp + took.round > plan.maxMs) break;
    const startedMs = elapsedMs();
    const step = (text: string) => {
      const seconds = (elapsedMs() / 1000).toFixed(0).padStart(4);
      say(`${seconds} s  start ${start} of ${plan.restarts}: ${text}`);
    };
    const running: Running[] = [];
    for (const figures of all)
      running.push({ subject: await session.start(figures.target), figures });
    for (const acceptEncoding of acceptEncodings) {
      await compareAnswers(session, running, workloads, acceptEncoding);
      for (const { name, operations } of workloads) {
        step(`warm-up, ${name} ${acceptEncoding}`);
        for (const { subject } of running)
          await session.run(
            subject,
            operations,
            { kind: 'closed', ...plan.warmUp },
            acceptEncoding,
          );
      }
    }
    took.warmUp = elapsedMs() - startedMs;
    for (let round = 0; round < plan.rounds; round += 1) {
      const roundMs = elapsedMs();
      if (roundMs + took.round > plan.maxMs) break;
      step(`round ${round + 1} of ${plan.rounds}`);
      // Each target is first, second and so on equally often.
      const first = (round + start) % running.length;
      const inTurns = [...running.slice(first), ...running.slice(0, first)];
      let slowest = Number.NaN;
      for (const condition of conditions) {
        const { share } = condition;
        // The rates of the first round stay, so that all slices of a condition are alike.
        if (share !== null && !rates.has(condition))
          rates.set(condition, slowest * share);
        const perSecond = rates.get(condition);
        const load: Load =
          perSecond === undefined
            ? {
                kind: 'closed',
                maxOperations: Number.MAX_SAFE_INTEGER,
                maxMs: plan.sliceMs,
              }
            : { kind: 'open', perSecond, maxMs: plan.sliceMs };
        for (const one of inTurns) await measureSlice(session, one, condition, load);
        if (share === null) slowest = rateOfSlowest(all, condition);
      }
      took.round = elapsedMs() - roundMs;
    }
    for (const { subject, figures } of running) {
      const held = processesOf(subject.running.pid).map((pid) => memoryOf(pid, 'VmHWM'));
      figures.memory.push(held.reduce((sum, bytes) => sum + bytes, 0) / MEGABYTE);
    }
    await Promise.all(running.map(({ subject }) => subject.running.stop()));
  }
  const costs = session.costs();
  return { conditions, figures: all, rates, costs, tookMs: elapsedMs() };
}

/**
 * How many operations a second the slowest target can do on its core, to two digits. Its measured rate would say the same of a
 * machine that does nothing else.
 */
function rateOfSlowest(all: readonly Figures[], condition: Condition): number {
  const cpu = all.map(({ slices }) => median(slices.get(condition)?.cpu ?? []));
  return Number((1000 / Math.max(...cpu)).toPrecision(2));
}

async function measureSlice(
  session: Session,
  { subject, figures: { slices } }: Running,
  condition: Condition,
  load: Load,
): Promise<void> {
  const { workload, acceptEncoding } = condition;
  const known = slices.get(condition);
  const own = known ?? { cpu: [], perSecond: [], latencies: [], refused: 0 };
  if (known === undefined) slices.set(condition, own);
  const run = await session.run(subject, workload.operations, load, acceptEncoding);
  own.cpu.push(run.cpuMs);
  own.perSecond.push((run.operations / run.tookMs) * 1000);
  own.latencies.push(...run.latencies);
  own.refused += run.refused;
}

/** Throws unless all targets answer alike, the order of fields included. */
async function compareAnswers(
  session: Session,
  running: readonly Running[],
  workloads: readonly Workload[],
  acceptEncoding: string,
): Promise<void> {
  for (const { name, operations } of workloads) {
    const once = {
      kind: 'closed',
      maxOperations: operations.length,
      maxMs: 10_000,
    } as const;
    let expected: string | undefined;
    for (const { subject } of running) {
      const { answers } = await session.run(subject, operations, once, acceptEncoding);
      const text = answers.map(toData).join('\n');
      expected ??= text;
      if (text === expected) continue;
      const names = `${running[0]?.subject.target.name} and ${subject.target.name}`;
      throw new Error(`${name}: ${names} answer differently:\n${expected}\n${text}`);
    }
  }
}

function toData(answer: string): string {
  const { data, errors } = JSON.parse(answer);
  if (errors !== undefined) throw new Error(`an answer with errors: ${answer}`);
  return JSON.stringify(data);
}
