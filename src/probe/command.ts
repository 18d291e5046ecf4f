import type { Writable } from 'node:stream';
import { type ProbeWords, readWords } from './arguments.ts';
import { ProbeError } from './errors.ts';
import { probe } from './probe.ts';
import { askSecret, type Input } from './prompt.ts';
import { toEnv, toTable } from './table.ts';

/** Where a command reads and writes; `process` is one. */
interface Streams {
  readonly stdin: Input;
  readonly stdout: Writable & { readonly columns?: number };
  readonly stderr: Writable;
}

const DEFAULT_COLUMNS = 120;

/**
 * `messaging-graphql probe`: the report to stdout, progress and trouble to stderr. Returns the exit status: 0 where
 * there is a report, 1 for wrong words, no token, or a service that cannot be probed.
 */
export async function startProbeCommand(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  streams: Streams,
): Promise<number> {
  const { stdout, stderr } = streams;
  const say = (line: string) => stderr.write(`${line}\n`);
  try {
    const asked = readWords(words);
    const token = await findToken(env.MESSAGING_TOKEN, streams);
    const report = await probe({ url: asked.url, token, onProgress: say });
    stdout.write(`${print(asked.output, report, stdout.columns)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    say(error.message);
    return 1;
  }
}

async function findToken(
  given: string | undefined,
  { stdin, stderr }: Streams,
): Promise<string> {
  if (given !== undefined && given !== '') return given;
  if (stdin.isTTY !== true) {
    throw new ProbeError(
      'There is no token: set MESSAGING_TOKEN, or run it on a terminal to be asked.',
    );
  }
  const typed = await askSecret('Access token (not shown): ', {
    input: stdin,
    output: stderr,
  });
  if (typed.trim() === '') throw new ProbeError('No token was given.');
  return typed.trim();
}

function print(
  output: ProbeWords['output'],
  report: Awaited<ReturnType<typeof probe>>,
  columns = DEFAULT_COLUMNS,
): string {
  if (output === 'json') return JSON.stringify(report, null, 2);
  return output === 'env' ? toEnv(report).join('\n') : toTable(report, columns);
}
