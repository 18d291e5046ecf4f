import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';

interface Running extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly errors: string[];
  /** The first line, once it is there. */
  first(): Promise<string>;
  exit(): Promise<number | null>;
}

/** Starts the command as a user does, on a free port. */
export function run(
  args: string[],
  env: Record<string, string> = {},
  command = process.execPath,
): Running {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  createInterface(child.stderr).on('line', (line) => errors.push(line));
  const closed = once(child, 'close');
  return {
    child,
    lines,
    errors,
    async first() {
      await expect.poll(() => lines.length, { timeout: 10_000 }).toBeGreaterThan(0);
      return lines[0] ?? '';
    },
    async exit() {
      const [code] = await closed;
      return code;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

/** The address at the end of the line a command prints first. */
export const toAddress = (line: string): string => /http:\/\/\S+$/.exec(line)?.[0] ?? '';
