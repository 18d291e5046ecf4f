/** Starts the processes of a measurement, each on its core, and reads what the system knows about them. Linux only. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';

/** How long a process may take to start. Unit: milliseconds. */
const START_MS = 30_000;
const NS_PER_MS = 1e6;

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

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface Running {
  readonly pid: number;
  readonly url: string;
  /** Called with each line that the process prints after its address. Null: they are dropped unread. */
  onLine: ((line: string) => void) | null;
  readonly errors: string[];
  stop(): Promise<void>;
}

/** Starts a server, on the measured core unless `isPinned` is false, and waits until it prints its address. */
export async function startServer(
  args: readonly string[],
  {
    cwd,
    env,
    isPinned = pinned,
  }: { cwd: string; env: Record<string, string>; isPinned?: boolean },
): Promise<Running> {
  const command = isPinned
    ? ['taskset', '-c', '0', process.execPath, ...args]
    : [process.execPath, ...args];
  const [file = '', ...rest] = command;
  const child = spawn(file, rest, {
    cwd,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const exited = once(child, 'exit').then(() => children.delete(child));
  const errors: string[] = [];
  createInterface(child.stderr).on('line', (line) => errors.push(line));
  const found = Promise.withResolvers<void>();
  const running: Mutable<Running> = {
    pid: child.pid ?? 0,
    url: '',
    onLine: null,
    errors,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
  const read = (line: string) => {
    if (running.url !== '') return running.onLine?.(line);
    running.url = /http:\/\/[\w.]+:\d+/.exec(line)?.[0] ?? '';
    if (running.url !== '') found.resolve();
  };
  let text = '';
  child.stdout.on('data', (chunk) => {
    // A gateway that writes a log line for each operation must not keep this process busy.
    if (running.url !== '' && running.onLine === null) return;
    const lines = `${text}${chunk}`.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) read(line);
  });
  const late = setTimeout(() => found.resolve(), START_MS);
  void exited.then(() => found.resolve());
  await found.promise;
  clearTimeout(late);
  if (running.url === '') {
    await running.stop();
    throw new Error(`${args.join(' ')} did not start:\n${errors.join('\n')}`);
  }
  return running;
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
  env: Record<string, string> = {},
): Promise<{ helper: Helper; first: T }> {
  const child = fork(new URL(script, import.meta.url), {
    env: { PATH: process.env.PATH, ...env },
  });
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

/** A process and those that it has started. */
export const processesOf = (pid: number): number[] => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number),
];

/** CPU time that all threads of a process, and of those that it has started, have used. Unit: milliseconds. */
export const cpuMs = (pid: number): number =>
  processesOf(pid).reduce((sum, one) => sum + cpuOfOne(one), 0);

function cpuOfOne(pid: number): number {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const schedstat = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      ns += Number(schedstat.split(' ')[0]);
    } catch {
      // The thread ended between the two reads.
    }
  }
  if (ns === 0) throw new Error(`the kernel has no schedstat of process ${pid}`);
  return ns / NS_PER_MS;
}
