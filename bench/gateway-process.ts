import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../bin/messaging-graphql.js', import.meta.url));

export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  /** Memory the process holds now. Unit: bytes; `VmRSS` of Linux. */
  memory(): number;
  /** Sends SIGTERM and waits for the end. */
  terminate(): Promise<{ status: number | null; tookMs: number }>;
}

/** Starts the gateway as a process of its own, on a free port, in front of a service. */
export async function startGatewayProcess(
  messagingUrl: string,
  settings: Record<string, string> = {},
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [LAUNCHER], {
    env: { MESSAGING_URL: messagingUrl, PORT: '0', LOG_LEVEL: 'silent', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const [line] = await once(createInterface(child.stdout), 'line');
  const url = /http:\/\/\S+$/.exec(line)?.[0] ?? '';

  return {
    url,
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
    },
    async terminate() {
      const began = performance.now();
      child.kill('SIGTERM');
      const [status] = await ended;
      return { status, tookMs: performance.now() - began };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
