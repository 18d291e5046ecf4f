import { readTls } from '../config/tls.ts';
import { EMBEDDED } from '../config/values.ts';
import { findWarnings } from '../config/warnings.ts';
import { type Config, ConfigError, type Environment, loadConfig } from '../config.ts';
import { parseBaseAddress } from '../rest/address.ts';
import { secretsOf } from '../rest/pool.ts';
import { createRedactors } from '../rest/redact.ts';
import { check } from './check.ts';
import { type Finding, ok, problem } from './found.ts';
import { probe } from './probe.ts';
import { ProbeError, Session, type SessionOptions } from './session.ts';
import { toEnv, toTable } from './table.ts';
import { readToken, type Stdio } from './token.ts';

const HELP = ['--help', '-h'];
const PROBE_USAGE =
  'messaging-graphql probe <base address> [--env | --json]; the token comes from MESSAGING_TOKEN or a prompt';
const CHECK_USAGE =
  'messaging-graphql check says whether the service, the token and the settings fit. It reads the settings of the gateway and MESSAGING_TOKEN from the environment or from the file .env; without MESSAGING_TOKEN, it asks for the token';
/** Any service should accept this many calls within a minute. The rest are the defaults of REST_TIMEOUT_MS and MAX_RESPONSE_BYTES. */
const PROBE_BOUNDS = {
  maxCalls: 60,
  timeoutMs: 10_000,
  maxResponseBytes: 16 * 1024 * 1024,
};
/** The width of the check's column of subjects. Unit: characters. */
const WIDTH = 10;

/**
 * Runs `messaging-graphql probe`: the report goes to stdout, progress and errors go to stderr. Returns the exit
 * status: 0 with a report; 1 for wrong arguments, no token, or a service that cannot be probed.
 */
export async function startProbeCommand(
  words: readonly string[],
  env: Environment,
  streams: Stdio,
): Promise<number> {
  const { stdout, stderr } = streams;
  if (words.some((word) => HELP.includes(word))) {
    stdout.write(`${PROBE_USAGE}\n`);
    return 0;
  }
  try {
    const { url, output } = parseWords(words);
    const own = Object.fromEntries(WIRE_SETTINGS.map((name) => [name, env[name]]));
    const target = { ...PROBE_BOUNDS, ...toWire(loadConfig(own)), url };
    const report = await inSession(env, streams, target, probe);
    const text =
      output === '--json'
        ? JSON.stringify(report, null, 2)
        : output === '--env'
          ? toEnv(report).join('\n')
          : toTable(report, stdout.columns);
    stdout.write(`${text}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ProbeError || error instanceof ConfigError)) throw error;
    stderr.write(`${error.message}\n`);
    return 1;
  }
}

/** Throws a ProbeError that never repeats an argument: it may be a token, or contain a password. */
function parseWords(words: readonly string[]) {
  const flags = words.filter((word) => word.startsWith('-'));
  const [text, ...extra] = words.filter((word) => !word.startsWith('-'));
  if (text === undefined) throw usageError('The base address is missing');
  if (extra.length > 0) {
    throw usageError('Give one address, and no token: other users can see arguments');
  }
  if (flags.some((flag) => flag !== '--env' && flag !== '--json')) {
    throw usageError('The only options are --env and --json');
  }
  if (new Set(flags).size > 1) throw usageError('Give --env or --json, not both');
  const address = parseBaseAddress(text);
  if (address === null) {
    throw new ProbeError(
      'The base address must be an http or https address without credentials, query or fragment, such as https://messaging.example.',
    );
  }
  if (!address.hasVersion) return { url: address.url, output: flags[0] };
  throw new ProbeError(
    'Give the base address without "/v1" at its end: the probe adds it.',
  );
}

const usageError = (problem: string): ProbeError =>
  new ProbeError(`${problem}. Usage: ${PROBE_USAGE}`);

const WIRE_SETTINGS = ['REST_HEADERS', 'REST_PROXY', 'REST_CA', 'REST_CERT', 'REST_KEY'];

/** How calls are made, all that a probe takes from the settings; throws ConfigError. */
const toWire = (config: Config) => ({
  headers: config.restHeaders,
  proxy: config.restProxy,
  tls: readTls(config),
});

/** Runs a probe or a check with the user's token. It is removed from all that comes out, because the service may send it back. */
async function inSession<T>(
  env: Environment,
  streams: Stdio,
  target: Omit<SessionOptions, 'token' | 'redact' | 'onProgress'>,
  run: (session: Session) => Promise<T>,
): Promise<T> {
  const token = await readToken(env, streams);
  const secrets = [...Object.values(target.headers ?? {}), ...secretsOf(target.proxy)];
  const redact = createRedactors([token, ...secrets])(null);
  const onProgress = (line: string) => streams.stderr.write(`${redact(line)}\n`);
  const session = new Session({ ...target, token, redact, onProgress });
  try {
    return JSON.parse(JSON.stringify(await run(session)), (_key, value) =>
      typeof value === 'string' ? redact(value) : value,
    );
  } catch (error) {
    throw error instanceof ProbeError ? new ProbeError(redact(error.message)) : error;
  } finally {
    await session.close();
  }
}

/**
 * Runs `messaging-graphql check`: the findings go to stdout, progress goes to stderr. Returns the exit status: 1 if
 * something does not fit, else 0.
 */
export async function startCheckCommand(
  words: readonly string[],
  env: Environment,
  streams: Stdio,
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
  for (const { subject, words, fix } of findings) {
    const start = subject.padEnd(WIDTH);
    stdout.write(
      fix === null
        ? `${start}${words}\n`
        : `${start}does not fit: ${words}\n${' '.repeat(WIDTH)}To change: ${fix}\n`,
    );
  }
  const isOpen = findings.some((finding) => finding.isOpen);
  const verdict = isOpen ? 'Nothing was found that does not fit.' : 'All fits.';
  stdout.write(`${isFit ? verdict : 'Something does not fit.'}\n`);
  return isFit ? 0 : 1;
}

/** If one of these is wrong, nothing is asked: calls would go to another address, or by another way. */
const NEEDED_SETTINGS = ['MESSAGING_URL', ...WIRE_SETTINGS];
const VALID = ok('all are valid', 'settings');

/** Wrong settings are reported, and then left out, with those that depend on them: PAGING_PARAM on PAGING. */
async function checkAll(env: Environment, streams: Stdio): Promise<readonly Finding[]> {
  let config: Config;
  let wire: ReturnType<typeof toWire>;
  try {
    config = loadConfig(env);
    wire = toWire(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.message.split('\n');
    const fix = 'Set it as this line says.';
    const wrong = lines.map((line) => problem(line, fix, 'settings'));
    const names = lines.map((line) => /^\w+/.exec(line)?.[0] ?? '');
    const isNeeded = (name: string) => !(name in env) || NEEDED_SETTINGS.includes(name);
    if (names.some(isNeeded)) return wrong;
    const isWrong = (key: string) => names.some((one) => `${key}_`.startsWith(`${one}_`));
    const rest = Object.entries(env).filter(([name]) => !isWrong(name));
    const found = await checkAll(Object.fromEntries(rest), streams);
    return [...wrong, ...found.filter((one) => one !== VALID)];
  }
  const settings = [
    VALID,
    ...findWarnings(env, config).map((warning) => ok(warning, 'settings')),
  ];
  const { messagingUrl: url, restTimeoutMs: timeoutMs, maxResponseBytes } = config;
  if (url === EMBEDDED) {
    const embedded =
      env.MESSAGING_URL === undefined
        ? problem(
            'MESSAGING_URL is not set, so the gateway would start the embedded service, with sample data',
            'Set MESSAGING_URL to the base address of your service, without /v1; or to "embedded", if you want the sample data.',
          )
        : ok('the embedded one, which the gateway starts by itself', 'service');
    return [...settings, embedded];
  }
  try {
    const target = { ...PROBE_BOUNDS, ...wire, url, timeoutMs, maxResponseBytes };
    const run = (session: Session) => check(session, config);
    return [...settings, ...(await inSession(env, streams, target, run))];
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    const words = 'there is none that can be sent';
    return [...settings, problem(words, error.message, 'token')];
  }
}
