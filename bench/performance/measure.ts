/** CPU for each operation, REST calls, memory and latency of several targets, in alternating slices. */
import { MEGABYTE, memoryOf } from '../memory.ts';
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
  /** How long latency is measured, once. Unit: milliseconds. */
  readonly latencyMs: number;
}

export interface Figures {
  readonly target: Target;
  /** By workload: CPU for one operation, of each slice. Unit: milliseconds. */
  readonly cpu: Map<string, number[]>;
  /** The same where all targets got operations at the same rate; empty if that was not measured. */
  readonly evenCpu: Map<string, number[]>;
  /** By workload: REST calls for one operation. */
  readonly calls: Map<string, number>;
  /** The most memory that each process held. Unit: megabytes. */
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

type Say = (line: string) => void;

export async function measure(
  session: Session,
  targets: readonly Target[],
  workloads: readonly Workload[],
  plan: Plan,
  say: Say,
): Promise<Measurement> {
  const began = performance.now();
  const figures = targets.map(toFigures);
  for (let start = 1; start <= plan.restarts; start += 1) {
    const subjects: Subject[] = [];
    for (const target of targets) subjects.push(await session.start(target));
    await compareAnswers(session, subjects, workloads);
    const step = (text: string) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(0).padStart(4);
      say(`${seconds} s  start ${start} of ${plan.restarts}: ${text}`);
    };
    await warmUp(session, subjects, workloads, plan, step);
    for (let round = 0; round < plan.rounds; round += 1) {
      step(`round ${round + 1} of ${plan.rounds}`);
      for (const workload of workloads) {
        for (const index of inTurns(targets.length, round + start)) {
          const subject = subjects[index];
          const own = figures[index];
          if (subject && own) await slice(session, subject, workload, own, plan);
        }
      }
    }
    for (const [index, { running }] of subjects.entries()) {
      figures[index]?.memory.push(memoryOf(running.pid, 'VmHWM') / MEGABYTE);
    }
    if (start === plan.restarts && plan.latencyMs > 0) {
      await measureLatency(session, subjects, workloads, figures, plan, step);
    }
    await Promise.all(subjects.map(({ running }) => running.stop()));
  }
  const tookMs = performance.now() - began;
  return { workloads, figures, costs: session.costs(), tookMs };
}

const toFigures = (target: Target): Figures => ({
  target,
  cpu: new Map(),
  evenCpu: new Map(),
  calls: new Map(),
  memory: [],
  latency: new Map(),
});

/** The order of a round: each target is first, second and so on equally often. */
const inTurns = (count: number, round: number): number[] =>
  Array.from({ length: count }, (_, index) => (index + round) % count);

/** Throws unless all targets answer alike, the order of fields included. */
async function compareAnswers(
  session: Session,
  subjects: readonly Subject[],
  workloads: readonly Workload[],
): Promise<void> {
  for (const workload of workloads) {
    const answers: string[] = [];
    for (const subject of subjects) {
      const { answer } = await session.run(subject, workload, { kind: 'first' });
      answers.push(answerData(answer));
      if (answers[0] === answers.at(-1)) continue;
      const names = `${subjects[0]?.target.name} and ${subject.target.name}`;
      throw new Error(
        `${workload.name}: ${names} answer differently:\n${answers[0]}\n${answers.at(-1)}`,
      );
    }
  }
}

function answerData(answer: string): string {
  const { data, errors } = JSON.parse(answer);
  if (errors !== undefined) throw new Error(`an answer with errors: ${answer}`);
  return JSON.stringify(data);
}

async function warmUp(
  session: Session,
  subjects: readonly Subject[],
  workloads: readonly Workload[],
  plan: Plan,
  step: Say,
): Promise<void> {
  for (const workload of workloads) {
    step(`warm-up, ${workload.name} ${workload.title}`);
    for (const subject of subjects) {
      await session.run(subject, workload, { kind: 'closed', ...plan.warmUp });
    }
  }
}

async function slice(
  session: Session,
  subject: Subject,
  workload: Workload,
  figures: Figures,
  { sliceMs, evenMs }: Plan,
): Promise<void> {
  const { cpuMs, calls } = await session.run(subject, workload, {
    kind: 'closed',
    maxOperations: Number.MAX_SAFE_INTEGER,
    maxMs: sliceMs,
  });
  note(figures.cpu, workload, cpuMs);
  figures.calls.set(workload.name, calls);
  const { evenRate: perSecond } = workload;
  if (evenMs === 0 || perSecond === undefined) return;
  const even = await session.run(subject, workload, {
    kind: 'open',
    perSecond,
    maxMs: evenMs,
  });
  note(figures.evenCpu, workload, even.cpuMs);
}

function note(cpu: Map<string, number[]>, { name }: Workload, cpuMs: number): void {
  cpu.set(name, [...(cpu.get(name) ?? []), cpuMs]);
}

async function measureLatency(
  session: Session,
  subjects: readonly Subject[],
  workloads: readonly Workload[],
  figures: readonly Figures[],
  plan: Plan,
  step: Say,
): Promise<void> {
  for (const workload of workloads) {
    if (workload.rate === undefined) continue;
    step(`latency, ${workload.name} at ${workload.rate} operations a second`);
    for (const [index, subject] of subjects.entries()) {
      const { latencies } = await session.run(subject, workload, {
        kind: 'open',
        perSecond: workload.rate,
        maxMs: plan.latencyMs,
      });
      figures[index]?.latency.set(workload.name, {
        median: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
      });
    }
  }
}
