import { EMBEDDED } from '../config/values.ts';
import { findWarnings } from '../config/warnings.ts';
import { type Config, ConfigError, type Environment, loadConfig } from '../config.ts';
import { check } from './check.ts';
import { type Finding, ok, problem } from './found.ts';
import { probe, toBaseAddress } from './probe.ts';
import { ProbeError } from './session.ts';
import { toEnv, toTable } from './table.ts';
import { createReportRedactor, readToken, redactTexts, type Streams } from './token.ts';

const HELP = ['--help', '-h'];
const DEFAULT_COLUMNS = 120;
const PROBE_USAGE =
  'messaging-graphql probe <base address> [--env | --json]; the token comes from MESSAGING_TOKEN or a prompt';
const CHECK_USAGE =
  'messaging-graphql check says whether the service, the token and the settings fit. It reads the settings of the gateway and MESSAGING_TOKEN from the environment or from the file .env; without MESSAGING_TOKEN, it asks for the token';
/** The width of the check's column of subjects. Unit: characters. */
const WIDTH = 10;

/**
 * Runs `messaging-graphql probe`: the report goes to stdout, progress and errors go to stderr. Returns the exit
 * status: 0 with a report; 1 for wrong arguments, no token, or a service that cannot be probed.
 */
export async function startProbeCommand(
  words: readonly string[],
  env: Environment,
  streams: Streams,
): Promise<number> {
  const { stdout, stderr } = streams;
  const say = (line: string) => stderr.write(`${line}\n`);
  try {
    if (words.some((word) => HELP.includes(word))) {
      stdout.write(`${PROBE_USAGE}\n`);
      return 0;
    }
    const { url, output } = parseWords(words);
    const token = await readToken(env, streams);
    const report = await probe({ url, token, onProgress: say });
    const print = {
      table: () => toTable(report, stdout.columns ?? DEFAULT_COLUMNS),
      env: () => toEnv(report).join('\n'),
      json: () => JSON.stringify(report, null, 2),
    };
    stdout.write(`${print[output]()}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    say(error.message);
    return 1;
  }
}

/** Throws a ProbeError that never repeats an argument, because that may be a token. */
function parseWords(words: readonly string[]): {
  url: string;
  output: 'table' | 'env' | 'json';
} {
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
  new ProbeError(`${problem}. Usage: ${PROBE_USAGE}`);

/**
 * Runs `messaging-graphql check`: the findings go to stdout, progress goes to stderr. Returns the exit status: 0 if all
 * fits, else 1.
 */
export async function startCheckCommand(
  words: readonly string[],
  env: Environment,
  streams: Streams,
): Promise<number> {
  const { stdout, stderr } = streams;
  if (words.some((word) => HELP.includes(word))) {
    stdout.write(`${CHECK_USAGE}\n`);
    return 0;
  }
  if (words.length > 0) {
    // An argument may be a token, so it is not repeated.
    stderr.write(`The check takes no arguments: ${CHECK_USAGE}\n`);
    return 1;
  }
  const findings = await checkAll(env, streams);
  const isFit = findings.every(({ fix }) => fix === null);
  const lines = [
    ...findings.map(toLines),
    isFit ? 'All fits.' : 'Something does not fit.',
  ];
  stdout.write(`${lines.join('\n')}\n`);
  return isFit ? 0 : 1;
}

async function checkAll(env: Environment, streams: Streams): Promise<readonly Finding[]> {
  const config = loadSettings(env);
  if (!('messagingUrl' in config)) return config;
  const settings = [
    ok('all are valid', 'settings'),
    ...findWarnings(env, config).map((warning) => ok(warning, 'settings')),
  ];
  if (config.messagingUrl === EMBEDDED) return [...settings, describeEmbedded(env)];
  try {
    const token = await readToken(env, streams);
    const redact = createReportRedactor(token);
    const onProgress = (line: string) => streams.stderr.write(`${redact(line)}\n`);
    const found = await check({ config, token, onProgress });
    return [...settings, ...redactTexts(found, redact)];
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    const words = 'there is none that can be sent';
    return [...settings, problem(words, error.message, 'token')];
  }
}

/** The settings, or a finding for each wrong one. */
function loadSettings(env: Environment): Config | readonly Finding[] {
  try {
    return loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message
      .split('\n')
      .map((line) => problem(line, 'Set it as this line says.', 'settings'));
  }
}

const describeEmbedded = (env: Environment): Finding =>
  env.MESSAGING_URL === undefined
    ? problem(
        'MESSAGING_URL is not set, so the gateway would start the embedded service, with sample data',
        'Set MESSAGING_URL to the base address of your service, without /v1; or to "embedded", if you want the sample data.',
      )
    : ok('the embedded one, which the gateway starts by itself', 'service');

function toLines({ subject, words, fix }: Finding): string {
  const start = subject.padEnd(WIDTH);
  return fix === null
    ? `${start}${words}`
    : `${start}does not fit: ${words}\n${' '.repeat(WIDTH)}To change: ${fix}`;
}
