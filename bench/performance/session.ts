/** A service, a load generator and the servers under measurement, and one run of load against one of them. */
import { resolve } from 'node:path';
import { cpuMs } from '../process.ts';
import type { Failure, Load, Order, Result } from './orders.ts';
import { type Running, startHelper } from './processes.ts';
import type { ServiceReport } from './service.ts';
import type { Target } from './targets.ts';
import type { Operation } from './workloads.ts';

export interface Subject {
  readonly target: Target;
  readonly running: Running;
}

interface Measured extends Result {
  /** CPU of the target, for one operation. Unit: milliseconds. */
  readonly cpuMs: number;
}

export interface Session extends AsyncDisposable {
  start(target: Target): Promise<Subject>;
  /** Throws if an answer, or the number of REST calls, is not what it must be. */
  run(
    subject: Subject,
    operations: readonly Operation[],
    load: Load,
    acceptEncoding?: string,
  ): Promise<Measured>;
  /** CPU of the helpers so far: of the service for one call, of the load generator for one operation. Unit: milliseconds. */
  costs(): { service: number; load: number };
}

/** `profile`: where each gateway writes a CPU profile when it ends; undefined: it writes none. */
export async function openSession(profile?: string): Promise<Session> {
  const { helper: service, first } = await startHelper<{ port: number }>('service.ts');
  const { helper: load } = await startHelper('load.ts');
  // Often enough for functions of a few microseconds.
  const nodeOptions = profile
    ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`, '--cpu-prof-interval=200']
    : [];
  const subjects: Subject[] = [];
  const used = { service: 0, load: 0, calls: 0, operations: 0 };
  const readCpu = (running: Running) => ({
    service: cpuMs(service.pid),
    load: cpuMs(load.pid),
    target: cpuMs(running.pid),
  });

  return {
    async start(target) {
      const running = await target.start(`http://127.0.0.1:${first.port}`, nodeOptions);
      const subject = { target, running };
      subjects.push(subject);
      return subject;
    },
    async run({ target, running }, operations, kind, acceptEncoding = '') {
      const order: Order = {
        port: Number(new URL(running.url).port),
        requests: operations.map(target.toRequest),
        acceptEncoding,
        load: kind,
      };
      await service.ask('reset');
      const before = readCpu(running);
      const result = await load.ask<Result | Failure>(order);
      if ('error' in result) {
        const said = running.errors.slice(-3).join('\n');
        throw new Error(`${target.name}: ${result.error}\n${said}`);
      }
      const after = readCpu(running);
      const report = await service.ask<ServiceReport>('report');
      checkCalls(target, operations, kind, result, report);
      used.service += after.service - before.service;
      used.load += after.load - before.load;
      used.calls += report.calls;
      used.operations += result.operations;
      return { ...result, cpuMs: (after.target - before.target) / result.operations };
    },
    costs: () => ({
      service: used.service / used.calls,
      load: used.load / used.operations,
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all(subjects.map(({ running }) => running.stop()));
      await Promise.all([service.stop(), load.stop()]);
    },
  };
}

function checkCalls(
  { name }: Target,
  all: readonly Operation[],
  load: Load,
  { operations, refused: ofTarget }: Result,
  { calls, refused }: ServiceReport,
): void {
  if (refused.length > 0) throw new Error(`${name}: the service refused ${refused}`);
  const wanted = (count: number) =>
    all.slice(0, count).reduce((sum, one) => sum + one.calls, 0);
  const expected =
    Math.floor(operations / all.length) * wanted(all.length) +
    wanted(operations % all.length);
  // Thousands at once share reads, and subscriptions beside them make calls of their own.
  if (load.kind === 'closed' && load.connections !== undefined) return;
  // At a fixed rate, a machine that stalls lets a user come again before the last answer, and share a read with that operation.
  const isShared = load.kind === 'open' && calls < expected;
  if (calls === expected || isShared || ofTarget > 0) return;
  throw new Error(
    `${name}: ${calls} REST calls for ${operations} operations, not ${expected}: ${all[0]?.graphql.query}`,
  );
}
