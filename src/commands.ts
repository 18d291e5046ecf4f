import { availableParallelism } from 'node:os';
import { quote } from './config/quote.ts';
import { toShown } from './config/shown.ts';
import { findWarnings } from './config/warnings.ts';
import { type Environment, loadConfig } from './config.ts';
import type { SampleUser } from './embedded/sample/mailboxes.ts';
import { withKnownUnit } from './gateway/service.ts';
import type { ListeningGateway } from './gateway.ts';
import { SHORT_LIST, SHORT_QUERY } from './messaging/examples.ts';
import { describeProfile } from './messaging/open-points.ts';

/** A running command: the lines to print, with the address in the first one, and a way to stop it. */
export interface Started {
  readonly lines: readonly string[];
  stop(): Promise<void>;
  /** What SIGHUP asks for; without it, SIGHUP ends the process. */
  readonly reload?: (() => void) | undefined;
}

/** Before it stops, the gateway answers over open connections this much longer, and asks to reconnect. Unit: milliseconds. */
const LINGER_MS = 250;

/** Starts the gateway, in front of an embedded service unless MESSAGING_URL names a real one. */
export async function startGatewayCommand(env: Environment): Promise<Started> {
  const config = withKnownUnit(loadConfig(env));
  const warnings = findWarnings(env, config);
  const shownSettings = toShown(config);
  const options = { ...config, shownSettings, warnings, lingerMs: LINGER_MS };
  const count = config.workers === 'auto' ? availableParallelism() : config.workers;
  // The first process of several needs little of what its workers load.
  const gateway =
    count === 1
      ? await (await import('./gateway.ts')).startGateway(options)
      : await (await import('./cluster/cluster.ts')).startCluster(options, count);
  const lines = [
    `messaging-graphql listens on ${gateway.url}`,
    ...(gateway.sampleUsers.length > 0
      ? describeSample(gateway, config.trustedDocuments === null)
      : []),
  ];
  const reload = config.trustedDocuments === null ? undefined : gateway.reload;
  return { lines, stop: gateway.close, reload };
}

/** `runsAny`: also documents that are in no manifest, such as that of the curl line. */
function describeSample(
  { url, sampleUsers }: Pick<ListeningGateway, 'url' | 'sampleUsers'>,
  runsAny: boolean,
): string[] {
  const curl = `  curl ${url}/graphql -H 'Authorization: Bearer ${firstToken(sampleUsers)}' -H 'Content-Type: application/json' -d '{"query":"${SHORT_QUERY}"}'`;
  return [
    'It serves sample data from an embedded messaging service. Set MESSAGING_URL to use a real one.',
    ...describeTokens(sampleUsers),
    ...(runsAny ? ['Open the address in a browser, or paste:', curl] : []),
  ];
}

/** What `--profile` prints. */
export interface Profile {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

/** What the gateway assumes of the service with these settings, and what is probably wrong with the settings. */
export function describeSettings(env: Environment): Profile {
  const config = withKnownUnit(loadConfig(env));
  return { lines: describeProfile(config), warnings: findWarnings(env, config) };
}

/** Starts only the embedded messaging service; `words` settle points that the interface leaves open. */
export async function startEmbeddedCommand(
  env: Environment,
  words: readonly string[],
): Promise<Started> {
  const { parseAnswers } = await import('./embedded/answers.ts');
  const { startEmbeddedService } = await import('./embedded/service.ts');
  const { host, port } = loadConfig({ HOST: env.HOST, PORT: env.PORT ?? '4001' });
  const answers = parseAnswers(words, quote);
  const service = await startEmbeddedService({ host, port, answers });
  return {
    lines: [
      `the embedded messaging service listens on ${service.url}`,
      ...describeTokens(service.sampleUsers),
      'Paste:',
      `  curl '${service.url}/v1${SHORT_LIST}' -H 'Authorization: Bearer ${firstToken(service.sampleUsers)}'`,
    ],
    stop: service.close,
  };
}

const firstToken = ([user]: readonly SampleUser[]): string => user?.token ?? '';

const describeTokens = (users: readonly SampleUser[]): string[] => [
  'Sample tokens:',
  ...users.map(({ token, username }) => `  ${token}  (${username})`),
];
