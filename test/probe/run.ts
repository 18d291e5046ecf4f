import { PassThrough } from 'node:stream';
import { expect } from 'vitest';
import { startCheckCommand } from '../../src/probe/command.ts';

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

/** One finding does not fit: in these words, and with this change. */
export function expectMisfit(
  { status, out }: Checked,
  words: string,
  change: string,
): void {
  expect(out).toContain(`does not fit: ${words}`);
  expect(out).toMatch(/\n {10}To change: /);
  expect(out.split('To change: ').slice(1).join()).toContain(change);
  expect(out.trimEnd().split('\n').at(-1)).toBe('Something does not fit.');
  expect(out).not.toContain(TOKEN);
  expect(status).toBe(1);
}
