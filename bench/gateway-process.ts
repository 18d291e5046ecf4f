import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run, toAddress } from '../test/support/command.ts';

const LAUNCHER = fileURLToPath(new URL('../bin/messaging-graphql.js', import.meta.url));

export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  /** The memory that the process holds. Unit: bytes; `VmRSS` of Linux. */
  memory(): number;
  /** Sends SIGTERM and waits for the exit. */
  terminate(): Promise<{ status: number | null; tookMs: number }>;
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
    memory() {
      const status = readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
    },
    async terminate() {
      const began = performance.now();
      gateway.child.kill('SIGTERM');
      return { status: await gateway.exit(), tookMs: performance.now() - began };
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}
