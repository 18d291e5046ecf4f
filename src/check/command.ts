import { EMBEDDED } from '../config/values.ts';
import { findWarnings } from '../config/warnings.ts';
import { type Config, ConfigError, type Environment, loadConfig } from '../config.ts';
import { ProbeError } from '../probe/errors.ts';
import { type Finding, ok, problem } from '../probe/explain.ts';
import { createReportRedactor, readToken, type Streams } from '../probe/token.ts';
import { check } from './check.ts';

const USAGE =
  'messaging-graphql check says whether the service, the token and the settings fit. It reads the settings of the gateway and MESSAGING_TOKEN from the environment or from the file .env; without MESSAGING_TOKEN, it asks for the token';
const HELP = ['--help', '-h'];
/** The width of the column of subjects. Unit: characters. */
const WIDTH = 10;

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
    stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (words.length > 0) {
    // An argument may be a token, so it is not repeated.
    stderr.write(`The check takes no arguments: ${USAGE}\n`);
    return 1;
  }
  const findings = await findAll(env, streams);
  stdout.write(`${findings.map(print).join('\n')}\n`);
  const isFit = findings.every(({ fix }) => fix === null);
  stdout.write(isFit ? 'All fits.\n' : 'Something does not fit.\n');
  return isFit ? 0 : 1;
}

async function findAll(env: Environment, streams: Streams): Promise<readonly Finding[]> {
  const config = loadSettings(env);
  if (!('messagingUrl' in config)) return config;
  const settings = [
    ok('settings', 'all are valid'),
    ...findWarnings(env, config).map((warning) => ok('settings', warning)),
  ];
  if (config.messagingUrl === EMBEDDED) return [...settings, describeEmbedded(env)];
  try {
    const token = await readToken(env, streams);
    const redact = createReportRedactor(token);
    const onProgress = (line: string) => streams.stderr.write(`${redact(line)}\n`);
    const found = await check({ config, token, onProgress });
    return [...settings, ...found.map((finding) => redactTexts(finding, redact))];
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    return [
      ...settings,
      problem('token', 'there is none that can be sent', error.message),
    ];
  }
}

/** The service may have sent the token back. */
const redactTexts = (
  { subject, words, fix }: Finding,
  redact: (text: string) => string,
): Finding => ({ subject, words: redact(words), fix: fix && redact(fix) });

/** The settings, or a finding for each wrong one. */
function loadSettings(env: Environment): Config | readonly Finding[] {
  try {
    return loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message
      .split('\n')
      .map((line) => problem('settings', line, 'Set it as this line says.'));
  }
}

const describeEmbedded = (env: Environment): Finding =>
  env.MESSAGING_URL === undefined
    ? problem(
        'service',
        'MESSAGING_URL is not set, so the gateway would start the embedded service, with sample data',
        'Set MESSAGING_URL to the base address of your service, without /v1; or to "embedded", if you want the sample data.',
      )
    : ok('service', 'the embedded one, which the gateway starts by itself');

function print({ subject, words, fix }: Finding): string {
  const start = subject.padEnd(WIDTH);
  return fix === null
    ? `${start}${words}`
    : `${start}does not fit: ${words}\n${' '.repeat(WIDTH)}To change: ${fix}`;
}
