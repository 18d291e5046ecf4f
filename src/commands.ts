import { findDoubts } from './config/doubts.ts';
import { EMBEDDED } from './config/values.ts';
import { DEFAULT_ANSWERS, parseAnswers } from './embedded/answers.ts';
import { type EmbeddedService, startEmbeddedService } from './embedded/service.ts';
import {
  type Config,
  type Environment,
  type GatewayOptions,
  loadConfig,
  startGateway,
} from './gateway.ts';
import { describeProfile } from './probe/open-points.ts';

export { printSchema } from './gateway.ts';

/** A running command: the lines to print, with the address in the first one, and a way to stop it. */
export interface Started {
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/** Before it stops, the gateway answers clients with open connections this much longer, and asks them to reconnect. Unit: milliseconds. */
const LINGER_MS = 250;

/** Starts the gateway, in front of an embedded service unless MESSAGING_URL names a real one. */
export async function startGatewayCommand(env: Environment): Promise<Started> {
  const config = loadSettings(env);
  const warnings = findDoubts(env, config);
  const options = { ...config, warnings, lingerMs: LINGER_MS };
  if (config.messagingUrl === EMBEDDED) return startWithEmbedded(options);
  const gateway = await startGateway(options);
  return { lines: [toGreeting(gateway.url)], stop: gateway.stop };
}

/** What the gateway assumes of the service with these settings, and what is doubtful about the settings. */
export function describeSettings(env: Environment): {
  readonly lines: readonly string[];
  readonly doubts: readonly string[];
} {
  const config = loadSettings(env);
  return { lines: describeProfile(config), doubts: findDoubts(env, config) };
}

/** In front of the embedded service, the unit of timestamps is known, so clients can read date-times without a setting. */
function loadSettings(env: Environment): Config {
  const config = loadConfig(env);
  if (config.messagingUrl !== EMBEDDED) return config;
  const timestampUnit = config.timestampUnit ?? DEFAULT_ANSWERS.timestampUnit;
  return { ...config, timestampUnit };
}

async function startWithEmbedded(options: GatewayOptions): Promise<Started> {
  const service = await startEmbeddedService();
  const token = firstToken(service);
  const gateway = await startGateway({
    ...options,
    messagingUrl: service.url,
    explorerToken: token,
  });
  const query =
    '{ conversations(first: 3) { nodes { id messages(first: 1) { nodes { message } } } } }';
  return {
    lines: [
      toGreeting(gateway.url),
      'It serves sample data from an embedded messaging service. Set MESSAGING_URL to use a real one.',
      ...describeTokens(service),
      'Open the address in a browser, or paste:',
      `  curl ${gateway.url}/graphql -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"query":"${query}"}'`,
    ],
    async stop() {
      await gateway.stop();
      await service.close();
    },
  };
}

const toGreeting = (url: string): string => `messaging-graphql listens on ${url}`;

/** Starts only the embedded messaging service; `words` settle points that the interface leaves open. */
export async function startEmbeddedCommand(
  env: Environment,
  words: readonly string[],
): Promise<Started> {
  const { host, port } = loadConfig({ HOST: env.HOST, PORT: env.PORT ?? '4001' });
  const answers = parseAnswers(words);
  const service = await startEmbeddedService({ host, port, answers });
  return {
    lines: [
      `the embedded messaging service listens on ${service.url}`,
      ...describeTokens(service),
      'Paste:',
      `  curl '${service.url}/v1/conversations?limit=3' -H 'Authorization: Bearer ${firstToken(service)}'`,
    ],
    stop: service.close,
  };
}

const firstToken = ({ sampleUsers }: EmbeddedService): string =>
  sampleUsers[0]?.token ?? '';

const describeTokens = ({ sampleUsers }: EmbeddedService): string[] => [
  'Sample tokens:',
  ...sampleUsers.map(({ token, username }) => `  ${token}  (${username})`),
];
