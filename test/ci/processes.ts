import {
  type ChildProcess,
  execFile,
  type SpawnOptions,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a command and returns its output; if it fails, throws an error with all of the output. */
export async function run(
  command: string,
  words: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  try {
    const { stdout } = await execute(command, [...words], options);
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${[command, ...words].join(' ')}\n${stdout}${stderr}`, {
      cause: error,
    });
  }
}

export interface Server {
  readonly firstLine: string;
  /** Sends SIGTERM to the server itself, not to a launcher such as npx, and returns the exit status. */
  terminate(): Promise<number | null>;
  /** Kills the server if it still runs. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Timeout for the first line. Unit: milliseconds. */
const START_TIMEOUT_MS = 30_000;

/** Starts a command and waits for the line that it prints once it listens. */
export async function startServer(
  command: string,
  words: readonly string[],
  options: SpawnOptions,
): Promise<Server> {
  const child = spawn(command, words, {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const end = async (signal: NodeJS.Signals) => {
    signalServer(child, signal);
    return (await ended)[0];
  };
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  await using abandoned = new AsyncDisposableStack();
  abandoned.defer(async () => {
    if (isRunning()) await end('SIGKILL');
  });

  const firstLine = await Promise.race([
    readLine(child),
    ended.then(([status]) => {
      throw new Error(`${command} ended with ${status} before it printed a line`);
    }),
  ]);
  const remaining = abandoned.move();
  return {
    firstLine,
    terminate: () => end('SIGTERM'),
    [Symbol.asyncDispose]: () => remaining.disposeAsync(),
  };
}

async function readLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the command has no output to read');
  const lines = createInterface({ input: stdout });
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  const [line] = (await once(lines, 'line', { signal })) as [string];
  return line;
}

/** Signals the last descendant, because npx does not pass signals on. */
function signalServer({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(lastDescendant(pid), signal);
}

function lastDescendant(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const [child] = children.split(' ');
  return child === undefined || child === '' ? pid : lastDescendant(Number(child));
}
