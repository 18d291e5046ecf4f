import { PassThrough } from 'node:stream';
import { startCheckCommand } from '../../src/check/command.ts';
import { LAUNCHER, run } from '../support/command.ts';

export const TOKEN = 'ada-sample-token';

export interface Checked {
  readonly status: number | null;
  /** The report. */
  readonly out: string;
  /** The progress. */
  readonly err: string;
}

interface RunOptions {
  readonly words?: readonly string[];
  /** What the user types. Default: there is no terminal. */
  readonly typed?: string;
}

/** Runs the check in this process. */
export async function runCheck(
  env: Record<string, string>,
  { words = [], typed }: RunOptions = {},
): Promise<Checked> {
  const isTTY = typed !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  if (typed !== undefined) stdin.write(typed);
  const stdout = new PassThrough({ highWaterMark: 1 << 20 });
  const stderr = new PassThrough({ highWaterMark: 1 << 20 });
  const streams = { stdin, stdout, stderr };
  const status = await startCheckCommand(
    words,
    { MESSAGING_TOKEN: TOKEN, ...env },
    streams,
  );
  const read = (stream: PassThrough) => String(stream.read() ?? '');
  return { status, out: read(stdout), err: read(stderr) };
}

/** Runs the check as a user does, in a process: Node reads the certificates that it trusts when it starts. */
export async function runCheckProcess(env: Record<string, string>): Promise<Checked> {
  await using command = run([LAUNCHER, 'check'], { MESSAGING_TOKEN: TOKEN, ...env });
  const status = await command.exit();
  return { status, out: command.lines.join('\n'), err: command.errors.join('\n') };
}
