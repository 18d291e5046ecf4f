/** What Linux knows about a process, and a gateway in a process of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { childrenOf } from '../test/support/command.ts';
import { startGatewayProcess } from '../test/support/gateway-process.ts';

/** Unit: bytes. */
export const MEGABYTE = 1_000_000;
const NS_PER_MS = 1e6;

/** The memory of a process: what it holds (`VmRSS`), or the most that it has held (`VmHWM`). Unit: bytes. */
export function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
}

/** A process and those that it has started. */
export const processesOf = (pid: number): number[] => [pid, ...childrenOf(pid)];

/** CPU time that a thread has used; the time that other processes took does not count. Unit: milliseconds. */
function threadMs(pid: number, thread: number | string): number {
  const schedstat = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
  return Number(schedstat.split(' ')[0]) / NS_PER_MS;
}

/** CPU time that all threads of a process, and of those that it has started, have used. Unit: milliseconds. */
export const cpuMs = (pid: number): number =>
  processesOf(pid).reduce((sum, one) => sum + cpuOfOne(one), 0);

function cpuOfOne(pid: number): number {
  let ms = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      ms += threadMs(pid, thread);
    } catch {
      // The thread ended between the two reads.
    }
  }
  if (ms === 0) throw new Error(`the kernel has no schedstat of process ${pid}`);
  return ms;
}

export type MeasuredGateway = Awaited<ReturnType<typeof startGateway>>;

/** Starts a gateway whose time and memory are read. */
export async function startGateway(
  messagingUrl: string,
  settings: Record<string, string> = {},
) {
  const env = { LOG_LEVEL: 'silent', ...settings };
  const gateway = await startGatewayProcess(messagingUrl, env);
  const { pid = 0 } = gateway.child;
  return {
    ...gateway,
    /** Unit: bytes. */
    memory: () => memoryOf(pid),
    /** Unit: milliseconds. */
    cpuMs: () => cpuMs(pid),
    /** How long its main thread has run. Unit: milliseconds. */
    threadMs: () => threadMs(pid, pid),
    /** Sends SIGTERM and waits for the exit. */
    async terminate(): Promise<{ status: number | null; tookMs: number }> {
      const began = performance.now();
      gateway.child.kill('SIGTERM');
      return { status: await gateway.exit(), tookMs: performance.now() - began };
    },
  };
}
