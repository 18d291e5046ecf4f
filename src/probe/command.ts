import { ProbeError } from './errors.ts';
import { probe, toBaseAddress } from './probe.ts';
import type { ProbeReport } from './report.ts';
import { toEnv, toTable } from './table.ts';
import { readToken, type Streams } from './token.ts';

type Output = 'table' | 'env' | 'json';

const USAGE =
  'messaging-graphql probe <base address> [--env | --json]; the token comes from MESSAGING_TOKEN or a prompt';
const HELP = ['--help', '-h'];
const DEFAULT_COLUMNS = 120;

/**
 * Runs `messaging-graphql probe`: the report goes to stdout, progress and errors go to stderr. Returns the exit
 * status: 0 with a report; 1 for wrong arguments, no token, or a service that cannot be probed.
 */
export async function startProbeCommand(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  streams: Streams,
): Promise<number> {
  const { stdout, stderr } = streams;
  const say = (line: string) => stderr.write(`${line}\n`);
  try {
    if (words.some((word) => HELP.includes(word))) {
      stdout.write(`${USAGE}\n`);
      return 0;
    }
    const { url, output } = parseWords(words);
    const token = await readToken(env, streams);
    const report = await probe({ url, token, onProgress: say });
    stdout.write(`${print(output, report, stdout.columns)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    say(error.message);
    return 1;
  }
}

/** Throws a ProbeError that never repeats an argument, because that may be a token. */
function parseWords(words: readonly string[]): { url: string; output: Output } {
  const flags = words.filter((word) => word.startsWith('-'));
  const [address, ...extra] = words.filter((word) => !word.startsWith('-'));
  if (address === undefined) throw usageError('The base address is missing');
  if (extra.length > 0) {
    throw usageError('Give one address, and no token: other users can see arguments');
  }
  if (flags.some((flag) => flag !== '--env' && flag !== '--json')) {
    throw usageError('The only options are --env and --json');
  }
  if (new Set(flags).size > 1) throw usageError('Give --env or --json, not both');
  const output = flags[0] === undefined ? 'table' : flags[0] === '--env' ? 'env' : 'json';
  return { url: toBaseAddress(address), output };
}

const usageError = (problem: string): ProbeError =>
  new ProbeError(`${problem}. Usage: ${USAGE}`);

function print(output: Output, report: ProbeReport, columns = DEFAULT_COLUMNS): string {
  if (output === 'json') return JSON.stringify(report, null, 2);
  return output === 'env' ? toEnv(report).join('\n') : toTable(report, columns);
}
