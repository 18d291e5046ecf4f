/** Starts the processes of a measurement, each on its core. Linux only. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';

/** How long a process may take to start. Unit: milliseconds. */
const START_MS = 30_000;
/** How long a server may take to end by itself, and to write its profile. Unit: milliseconds. */
const STOP_MS = 5000;

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Whether the measured process gets core 0 alone. Otherwise all share all cores, which makes figures less stable. */
export const pinned = canPin();

function canPin(): boolean {
  try {
    execFileSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' });
    return availableParallelism() > 1;
  } catch {
    return false;
  }
}

/** Moves this process, and those that it forks from now on, off the measured process's core. */
export function leaveMeasuredCore(): void {
  if (!pinned) return;
  const others = `1-${availableParallelism() - 1}`;
  execFileSync('taskset', ['-a', '-p', '-c', others, `${process.pid}`], {
    stdio: 'ignore',
  });
}

/** Keeps the measured core busy until this process ends, an hour at most, as the other containers of a machine do. */
export function shareMeasuredCore(): void {
  const loop = 'const end = Date.now() + 3600_000; while (Date.now() < end);';
  const args = ['-c', '0', process.execPath, '-e', loop];
  children.add(spawn('taskset', args, { stdio: 'ignore' }));
}

export interface Running {
  readonly pid: number;
  readonly url: string;
  readonly errors: string[];
  stop(): Promise<void>;
}

/**
 * Starts a server, on the measured core unless `isPinned` is false, and waits until it prints its address. `ipc`: it has a channel
 * for messages.
 */
export async function startServer(
  args: readonly string[],
  {
    cwd,
    env,
    isPinned = pinned,
    ipc = false,
  }: {
    cwd: string;
    env: Record<string, string>;
    isPinned?: boolean | undefined;
    ipc?: boolean;
  },
): Promise<Running & { readonly child: ChildProcess }> {
  const command = isPinned
    ? ['taskset', '-c', '0', process.execPath, ...args]
    : [process.execPath, ...args];
  const [file = '', ...rest] = command;
  const child = spawn(file, rest, {
    cwd,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe', ipc ? 'ipc' : 'ignore'],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the server has no output');
  children.add(child);
  const exited = once(child, 'exit').then(() => children.delete(child));
  const errors: string[] = [];
  createInterface(stderr).on('line', (line) => errors.push(line));
  const stop = async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(late);
  };
  const found = Promise.withResolvers<string | undefined>();
  const late = setTimeout(() => found.resolve(undefined), START_MS);
  void exited.then(() => found.resolve(undefined));
  let text = '';
  stdout.on('data', (chunk) => {
    text += chunk;
    const [address] = /http:\/\/[\w.]+:\d+/.exec(text) ?? [];
    if (address === undefined) return;
    found.resolve(address);
    // A gateway that writes a log line for each operation must not keep this process busy.
    stdout.removeAllListeners('data').resume();
  });
  const url = await found.promise;
  clearTimeout(late);
  if (url !== undefined) return { child, pid: child.pid ?? 0, url, errors, stop };
  await stop();
  throw new Error(`${args.join(' ')} did not start:\n${errors.join('\n')}`);
}

export interface Helper {
  readonly pid: number;
  /** Sends a message and waits for the answer. */
  ask<T>(message: unknown): Promise<T>;
  stop(): Promise<void>;
}

/** Forks a helper process, and waits for its first message. */
export async function startHelper<T>(
  script: string,
): Promise<{ helper: Helper; first: T }> {
  const child = fork(new URL(script, import.meta.url));
  children.add(child);
  const exited = once(child, 'exit').then(() => children.delete(child));
  const answer = () =>
    Promise.race([
      once(child, 'message').then(([message]) => message),
      exited.then(() => Promise.reject(new Error(`${script} ended`))),
    ]);
  const first: T = await answer();
  const helper = {
    pid: child.pid ?? 0,
    ask(message: unknown) {
      const answered = answer();
      child.send(message as object);
      return answered;
    },
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
  return { helper, first };
}
