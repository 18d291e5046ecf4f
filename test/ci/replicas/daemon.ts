import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program that runs until it is ended. */
export interface Daemon extends AsyncDisposable {
  readonly pid: number;
  /** What it has printed. */
  output(): string;
  isRunning(): boolean;
  /** Sends a signal, and resolves with the exit status; null if the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export function startDaemon(
  command: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Daemon {
  const child: ChildProcess = spawn(command, [...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      text += chunk;
    });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals) => {
    if (isRunning()) child.kill(signal);
    return (await ended)[0];
  };
  return {
    pid: child.pid ?? 0,
    output: () => text,
    isRunning,
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
    },
  };
}
