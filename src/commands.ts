import { DEFAULT_ANSWERS, parseAnswers } from './embedded/answers.ts';
import { type EmbeddedService, startEmbeddedService } from './embedded/service.ts';
import { type Config, type Environment, loadConfig, startGateway } from './gateway.ts';
import { describeProfile } from './probe/open-points.ts';

/** What a command has started, and how it says so: the first line holds the address. */
export interface Started {
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/** Clients over kept connections learn of the end with their next answer; so long they may take to ask. Unit: milliseconds. */
const LINGER_MS = 250;

export const USAGE = `messaging-graphql [--profile]             starts the gateway; README lists its settings. With --profile it says how
                                          it reads what the interface leaves open
messaging-graphql embedded [name=value]   starts the embedded messaging service alone
                                          on port 4001, or PORT
messaging-graphql probe <base address>    asks a service, with reads only, how it fills the gaps of the interface; the token comes
                                          from MESSAGING_TOKEN or a prompt. With --env it prints settings, with --json the record
messaging-graphql --help                  prints this`;

/** Starts the gateway, in front of an embedded service unless MESSAGING_URL names a real one. */
export async function startGatewayCommand(
  env: Environment,
  { withProfile = false } = {},
): Promise<Started> {
  const config = knowingTheEmbedded(loadConfig(env));
  const profile = withProfile ? describeProfile(config) : [];
  if (config.messagingUrl !== 'embedded') {
    const gateway = await startGateway({ ...config, lingerMs: LINGER_MS });
    return {
      lines: [`messaging-graphql listens on ${gateway.url}`, ...profile],
      stop: gateway.stop,
    };
  }
  const service = await startEmbeddedService();
  const token = firstToken(service);
  const gateway = await startGateway({
    ...config,
    messagingUrl: service.url,
    lingerMs: LINGER_MS,
    explorerToken: token,
  });
  const query =
    '{ conversations(first: 3) { nodes { id messages(first: 1) { nodes { message } } } } }';
  return {
    lines: [
      `messaging-graphql listens on ${gateway.url}`,
      ...profile,
      'It stands before an embedded messaging service with sample data; MESSAGING_URL names a real one.',
      ...sampleTokens(service),
      'Open the address in a browser, or paste:',
      `  curl ${gateway.url}/graphql -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"query":"${query}"}'`,
    ],
    async stop() {
      await gateway.stop();
      await service.close();
    },
  };
}

/** Of the embedded service the unit of timestamps is known, so that date-times can be read at once. */
const knowingTheEmbedded = (config: Config): Config =>
  config.messagingUrl === 'embedded'
    ? { ...config, timestampUnit: config.timestampUnit ?? DEFAULT_ANSWERS.timestampUnit }
    : config;

/** Starts the embedded messaging service alone; `words` say how it fills the gaps of the interface. */
export async function startEmbeddedCommand(
  env: Environment,
  words: readonly string[],
): Promise<Started> {
  const { host, port } = loadConfig({ HOST: env.HOST, PORT: env.PORT ?? '4001' });
  const service = await startEmbeddedService({
    host,
    port,
    answers: parseAnswers(words),
  });
  return {
    lines: [
      `the embedded messaging service listens on ${service.url}`,
      ...sampleTokens(service),
      'Paste:',
      `  curl '${service.url}/v1/conversations?limit=3' -H 'Authorization: Bearer ${firstToken(service)}'`,
    ],
    stop: service.close,
  };
}

const firstToken = ({ sampleUsers }: EmbeddedService): string =>
  sampleUsers[0]?.token ?? '';

const sampleTokens = ({ sampleUsers }: EmbeddedService): string[] => [
  'Sample tokens:',
  ...sampleUsers.map(({ token, username }) => `  ${token}  (${username})`),
];
