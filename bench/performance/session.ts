/** A service, a load generator and the servers under measurement, and one run of load against one of them. */

import { cpuMs } from '../process.ts';
import {
  type Failure,
  type Load,
  ONCE,
  type Order,
  type RequestTemplate,
  type Result,
} from './orders.ts';
import { type Helper, type Running, startHelper } from './processes.ts';
import type { ServiceReport } from './service.ts';
import type { StartOptions, Target } from './targets.ts';
import type { Workload } from './workloads.ts';

export interface Subject {
  readonly target: Target;
  readonly running: Running;
}

interface Measured extends Result {
  /** CPU of the target, for one operation. Unit: milliseconds. */
  readonly cpuMs: number;
  /** REST calls for one operation. */
  readonly calls: number;
}

export interface Session {
  start(target: Target, options?: StartOptions): Promise<Subject>;
  run(subject: Subject, workload: Workload, load: Load): Promise<Measured>;
  /** CPU of the helpers so far: of the service for one call, of the load generator for one operation. Unit: milliseconds. */
  costs(): { service: number; load: number };
  stop(): Promise<void>;
}

interface SessionOptions {
  /** The header that every request has; empty: none. */
  readonly acceptEncoding?: string;
  /** How long the service waits before it answers. Unit: milliseconds. */
  readonly delayMs?: number;
}

export async function openSession(options: SessionOptions = {}): Promise<Session> {
  const service = await startHelper<{ port: number }>('service.ts', {
    SERVICE_DELAY_MS: `${options.delayMs ?? 0}`,
  });
  const load = await startHelper('load.ts', {
    ACCEPT_ENCODING: options.acceptEncoding ?? '',
  });
  const messagingUrl = `http://127.0.0.1:${service.first.port}`;
  const subjects: Subject[] = [];
  const used = { service: 0, load: 0, calls: 0, operations: 0 };

  const run = async (subject: Subject, workload: Workload, kind: Load) => {
    const { target, running } = subject;
    const request = target.request(workload);
    const send = async (sent: Load) => {
      const order = toOrder(running.url, request, sent);
      const answer = await load.helper.ask<Result | Failure>(order);
      if (!('error' in answer)) return answer;
      const said = running.errors.slice(-3).join('\n');
      throw new Error(`${target.name}, ${workload.name}: ${answer.error}\n${said}`);
    };
    // The connections are opened before the measurement begins.
    if (kind.kind === 'closed' || kind.kind === 'open') await send(ONCE);
    const before = await begin(service.helper, load.helper, running);
    const result = await send(kind);
    const after = readCpu(service.helper, load.helper, running);
    const { calls, refused } = await service.helper.ask<ServiceReport>('report');
    if (refused.length > 0) {
      throw new Error(`${target.name}, ${workload.name}: the service refused ${refused}`);
    }
    checkCalls(subject, workload, calls, result.operations - result.refused);
    used.service += after.service - before.service;
    used.load += after.load - before.load;
    used.calls += calls;
    used.operations += result.operations;
    return {
      ...result,
      cpuMs: (after.target - before.target) / result.operations,
      calls: calls / result.operations,
    };
  };

  return {
    async start(target, startOptions) {
      const running = await target.start(messagingUrl, startOptions);
      const subject = { target, running };
      subjects.push(subject);
      return subject;
    },
    run,
    costs: () => ({
      service: used.service / used.calls,
      load: used.load / used.operations,
    }),
    async stop() {
      await Promise.all(subjects.map(({ running }) => running.stop()));
      await Promise.all([service.helper.stop(), load.helper.stop()]);
    },
  };
}

function toOrder(url: string, request: RequestTemplate, load: Load): Order {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), request, load };
}

async function begin(service: Helper, load: Helper, running: Running) {
  await service.ask('reset');
  return readCpu(service, load, running);
}

const readCpu = (service: Helper, load: Helper, running: Running) => ({
  service: cpuMs(service.pid),
  load: cpuMs(load.pid),
  target: cpuMs(running.pid),
});

function checkCalls(
  { target }: Subject,
  workload: Workload,
  calls: number,
  operations: number,
): void {
  const { calls: wanted } = workload;
  if (!target.hasExactCalls || wanted === null || calls === operations * wanted) return;
  throw new Error(
    `${target.name}, ${workload.name}: ${calls} REST calls for ${operations} operations, not ${wanted} for each`,
  );
}
