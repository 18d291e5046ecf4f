import { execFile } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { childrenOf, run as start } from '../support/command.ts';

const execute = promisify(execFile);

export const ROOT = join(import.meta.dirname, '../..');
/** Puts this Node first, for npm, npx and the processes that they start. */
export const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
const ENV = { ...(process.env as Record<string, string>), PATH };

/** Runs a command and returns its output; if it fails, throws an error with all of the output. */
export async function run(
  command: string,
  words: readonly string[],
  { cwd = ROOT, env = ENV }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  try {
    const { stdout } = await execute(command, [...words], { cwd, env });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${[command, ...words].join(' ')}\n${stdout}${stderr}`, {
      cause: error,
    });
  }
}

/** Starts a server, perhaps by a launcher such as npx, and waits for the line with its address. */
export async function startServer(
  command: string,
  words: readonly string[],
  { cwd = ROOT, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
) {
  const server = start([...words], { ...ENV, PORT: '0', ...env }, command, { cwd });
  const { pid = Number.NaN } = server.child;
  const signal = (name: NodeJS.Signals) => process.kill(lastDescendant(pid), name);
  await using abandoned = new AsyncDisposableStack();
  abandoned.defer(async () => {
    if (server.isRunning()) signal('SIGKILL');
    await server.exit();
  });
  const firstLine = await server.first();
  const remaining = abandoned.move();
  return {
    firstLine,
    url: firstLine.split(' ').at(-1) ?? '',
    /** Signals the server itself, because npx does not pass signals on; returns the exit status. */
    terminate() {
      signal('SIGTERM');
      return server.exit();
    },
    [Symbol.asyncDispose]: () => remaining.disposeAsync(),
  };
}

function lastDescendant(pid: number): number {
  const [child] = childrenOf(pid);
  return child === undefined ? pid : lastDescendant(child);
}
