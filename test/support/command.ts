import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export const LAUNCHER = resolve('bin/messaging-graphql.js');

/** Commands start in this folder, so that no file .env of a developer changes what they do. */
const FOLDER = resolve('test/support');

/** Node keeps the source there without its types. Otherwise it removes these at each start, which is a third of its work. */
const COMPILED =
  process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'messaging-graphql-compiled');

/** Starts a command as a user does, on a free port; `cwd` is the folder in which it starts. */
export function run(
  args: string[],
  env: Record<string, string> = {},
  command = process.execPath,
  { detached = false, cwd = FOLDER } = {},
) {
  const child = spawn(command, args, {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: COMPILED,
      PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
    cwd,
  });
  const lines: string[] = [];
  const errors: string[] = [];
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  createInterface(child.stderr).on('line', (line) => errors.push(line));
  const closed = once(child, 'close');
  const exit = async (): Promise<number | null> => (await closed)[0];
  return {
    child,
    lines,
    errors,
    /** Waits for the first line. Throws if the command ends without one. */
    async first() {
      if (lines.length === 0) await Promise.race([once(output, 'line'), closed]);
      const [line] = lines;
      if (line === undefined) throw new Error(`no output: ${errors.join('\n')}`);
      return line;
    },
    exit,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** Sends a signal, and resolves with the exit status; null if the signal ended it. */
    end(signal: NodeJS.Signals) {
      child.kill(signal);
      return exit();
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

export type Running = ReturnType<typeof run>;

/** Runs the gateway's command, which must end by itself. */
export async function runToEnd(
  words: readonly string[],
  env: Record<string, string> = {},
  cwd = FOLDER,
) {
  await using command = run([LAUNCHER, ...words], env, process.execPath, { cwd });
  const status = await command.exit();
  return { status, lines: command.lines, errors: command.errors };
}

/** Options of Node that run a module before the command. */
export const preload = (module: string): string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(module)}`,
];

/** The address at the end of the first line that the gateway prints. */
export const toAddress = (line: string): string => /http:\/\/\S+$/.exec(line)?.[0] ?? '';

/** The processes that a process has started. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number);
