/** CPU for each operation, REST calls, memory and latency of several targets, in alternating slices. */
import { MEGABYTE, memoryOf, processesOf } from '../process.ts';
import { ONCE } from './orders.ts';
import type { Session, Subject } from './session.ts';
import { quantile } from './statistics.ts';
import type { Target } from './targets.ts';
import type { Workload } from './workloads.ts';

export interface Plan {
  /** How often all targets are started anew. Two processes of the same code differ by up to a tenth for their whole life. */
  readonly restarts: number;
  /** Slices of each workload and target after each start. */
  readonly rounds: number;
  readonly sliceMs: number;
  /** How long each slice at the same rate for all takes; 0: there are none. Unit: milliseconds. */
  readonly evenMs: number;
  readonly warmUp: { readonly maxOperations: number; readonly maxMs: number };
  /** How long latency is measured, once; 0: it is not. Unit: milliseconds. */
  readonly latencyMs: number;
}

/** By the name of a workload: the figure of each slice. */
type Slices = Map<string, number[]>;

export interface Figures {
  readonly target: Target;
  /** CPU for one operation. Unit: milliseconds. */
  readonly cpu: Slices;
  /** The same where all targets got operations at the same rate; empty if that was not measured. */
  readonly evenCpu: Slices;
  readonly perSecond: Slices;
  /** By workload: REST calls for one operation. */
  readonly calls: Map<string, number>;
  /** The most memory that its processes held, after each start. Unit: megabytes. */
  readonly memory: number[];
  /** By workload. Unit: milliseconds. */
  readonly latency: Map<string, { readonly median: number; readonly p99: number }>;
}

export interface Measurement {
  readonly workloads: readonly Workload[];
  readonly figures: readonly Figures[];
  readonly costs: { readonly service: number; readonly load: number };
  readonly tookMs: number;
}

/** A target that runs, and its figures. */
interface Measured {
  readonly subject: Subject;
  readonly figures: Figures;
}

export async function measure(
  session: Session,
  targets: readonly Target[],
  workloads: readonly Workload[],
  plan: Plan,
  say: (line: string) => void,
): Promise<Measurement> {
  const began = performance.now();
  const all = targets.map(
    (target): Figures => ({
      target,
      cpu: new Map(),
      evenCpu: new Map(),
      perSecond: new Map(),
      calls: new Map(),
      memory: [],
      latency: new Map(),
    }),
  );
  for (let start = 1; start <= plan.restarts; start += 1) {
    const step = (text: string) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(0).padStart(4);
      say(`${seconds} s  start ${start} of ${plan.restarts}: ${text}`);
    };
    const running: Measured[] = [];
    for (const figures of all)
      running.push({ subject: await session.start(figures.target), figures });
    await compareAnswers(session, running, workloads);
    for (const workload of workloads) {
      step(`warm-up, ${workload.name} ${workload.title}`);
      for (const { subject } of running)
        await session.run(subject, workload, { kind: 'closed', ...plan.warmUp });
    }
    for (let round = 0; round < plan.rounds; round += 1) {
      step(`round ${round + 1} of ${plan.rounds}`);
      // Each target is first, second and so on equally often.
      const first = (round + start) % running.length;
      const inTurns = [...running.slice(first), ...running.slice(0, first)];
      for (const workload of workloads)
        for (const one of inTurns) await measureSlice(session, one, workload, plan);
    }
    for (const { subject, figures } of running) {
      const held = processesOf(subject.running.pid).map((pid) => memoryOf(pid, 'VmHWM'));
      figures.memory.push(held.reduce((sum, bytes) => sum + bytes, 0) / MEGABYTE);
    }
    if (start === plan.restarts && plan.latencyMs > 0)
      await measureLatency(session, running, workloads, plan, step);
    await Promise.all(running.map(({ subject }) => subject.running.stop()));
  }
  const tookMs = performance.now() - began;
  return { workloads, figures: all, costs: session.costs(), tookMs };
}

/** Throws unless all targets answer alike, the order of fields included. */
async function compareAnswers(
  session: Session,
  running: readonly Measured[],
  workloads: readonly Workload[],
): Promise<void> {
  for (const workload of workloads) {
    let expected: string | undefined;
    for (const { subject } of running) {
      const { answer } = await session.run(subject, workload, ONCE);
      const { data, errors } = JSON.parse(answer);
      if (errors !== undefined) throw new Error(`an answer with errors: ${answer}`);
      const text = JSON.stringify(data);
      expected ??= text;
      if (text === expected) continue;
      const names = `${running[0]?.subject.target.name} and ${subject.target.name}`;
      throw new Error(
        `${workload.name}: ${names} answer differently:\n${expected}\n${text}`,
      );
    }
  }
}

async function measureSlice(
  session: Session,
  { subject, figures }: Measured,
  workload: Workload,
  { sliceMs, evenMs }: Plan,
): Promise<void> {
  const note = (slices: Slices, value: number) =>
    slices.set(workload.name, [...(slices.get(workload.name) ?? []), value]);
  const { cpuMs, calls, operations, tookMs } = await session.run(subject, workload, {
    kind: 'closed',
    maxOperations: Number.MAX_SAFE_INTEGER,
    maxMs: sliceMs,
  });
  note(figures.cpu, cpuMs);
  note(figures.perSecond, (operations / tookMs) * 1000);
  figures.calls.set(workload.name, calls);
  const { evenRate: perSecond } = workload;
  if (evenMs === 0 || perSecond === undefined) return;
  const load = { kind: 'open', perSecond, maxMs: evenMs } as const;
  note(figures.evenCpu, (await session.run(subject, workload, load)).cpuMs);
}

async function measureLatency(
  session: Session,
  running: readonly Measured[],
  workloads: readonly Workload[],
  { latencyMs }: Plan,
  step: (text: string) => void,
): Promise<void> {
  for (const workload of workloads) {
    if (workload.rate === undefined) continue;
    step(`latency, ${workload.name} at ${workload.rate} operations a second`);
    const load = { kind: 'open', perSecond: workload.rate, maxMs: latencyMs } as const;
    for (const { subject, figures } of running) {
      const { latencies } = await session.run(subject, workload, load);
      figures.latency.set(workload.name, {
        median: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
      });
    }
  }
}
