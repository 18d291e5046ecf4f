import { readFileSync } from 'node:fs';
import { LAUNCHER, run, toAddress } from '../test/support/command.ts';
import { memoryOf } from './memory.ts';

export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  /** The memory that the process holds. Unit: bytes. */
  memory(): number;
  readonly pid: number;
  /** Sends SIGTERM and waits for the exit. */
  terminate(): Promise<{ status: number | null; tookMs: number }>;
}

/** How long the main thread of a process has run; the time that other processes took does not count. Unit: milliseconds. */
export function threadTime(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(
    ' ',
  );
  return Number(nanoseconds) / 1_000_000;
}

/** Starts the gateway in its own process, on a free port. */
export async function startGatewayProcess(
  messagingUrl: string,
  settings: Record<string, string> = {},
): Promise<GatewayProcess> {
  const env = { MESSAGING_URL: messagingUrl, LOG_LEVEL: 'silent', ...settings };
  const gateway = run([LAUNCHER], env);
  return {
    url: toAddress(await gateway.first()),
    pid: gateway.child.pid ?? 0,
    memory: () => memoryOf(gateway.child.pid ?? 0),
    async terminate() {
      const began = performance.now();
      gateway.child.kill('SIGTERM');
      return { status: await gateway.exit(), tookMs: performance.now() - began };
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}
