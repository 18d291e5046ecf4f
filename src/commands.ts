import { countWorkers, startCluster } from './cluster/cluster.ts';
import { runWorker } from './cluster/worker.ts';
import { findDoubts } from './config/doubts.ts';
import { quote } from './config/quote.ts';
import { parseAnswers } from './embedded/answers.ts';
import type { SampleUser } from './embedded/sample/mailboxes.ts';
import { startEmbeddedService } from './embedded/service.ts';
import { withKnownUnit } from './gateway/service.ts';
import {
  type Environment,
  type ListeningGateway,
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
  const config = withKnownUnit(loadConfig(env));
  const warnings = findDoubts(env, config);
  const options = { ...config, warnings, lingerMs: LINGER_MS };
  const count = countWorkers(config.workers);
  const gateway = await (count === 1
    ? startGateway(options)
    : startCluster(options, count));
  const lines = [
    `messaging-graphql listens on ${gateway.url}`,
    ...(gateway.sampleUsers.length > 0 ? describeSample(gateway) : []),
  ];
  return { lines, stop: gateway.close };
}

/** What each worker process runs; `WORKERS` says how many there are. */
export const startWorkerCommand = runWorker;

function describeSample({
  url,
  sampleUsers,
}: Pick<ListeningGateway, 'url' | 'sampleUsers'>): string[] {
  const query =
    '{ conversations(first: 3) { nodes { id messages(first: 1) { nodes { message } } } } }';
  return [
    'It serves sample data from an embedded messaging service. Set MESSAGING_URL to use a real one.',
    ...describeTokens(sampleUsers),
    'Open the address in a browser, or paste:',
    `  curl ${url}/graphql -H 'Authorization: Bearer ${firstToken(sampleUsers)}' -H 'Content-Type: application/json' -d '{"query":"${query}"}'`,
  ];
}

/** What the gateway assumes of the service with these settings, and what is doubtful about the settings. */
export function describeSettings(env: Environment): {
  readonly lines: readonly string[];
  readonly doubts: readonly string[];
} {
  const config = withKnownUnit(loadConfig(env));
  return { lines: describeProfile(config), doubts: findDoubts(env, config) };
}

/** Starts only the embedded messaging service; `words` settle points that the interface leaves open. */
export async function startEmbeddedCommand(
  env: Environment,
  words: readonly string[],
): Promise<Started> {
  const { host, port } = loadConfig({ HOST: env.HOST, PORT: env.PORT ?? '4001' });
  const answers = parseAnswers(words, quote);
  const service = await startEmbeddedService({ host, port, answers });
  return {
    lines: [
      `the embedded messaging service listens on ${service.url}`,
      ...describeTokens(service.sampleUsers),
      'Paste:',
      `  curl '${service.url}/v1/conversations?limit=3' -H 'Authorization: Bearer ${firstToken(service.sampleUsers)}'`,
    ],
    stop: service.close,
  };
}

const firstToken = ([user]: readonly SampleUser[]): string => user?.token ?? '';

const describeTokens = (users: readonly SampleUser[]): string[] => [
  'Sample tokens:',
  ...users.map(({ token, username }) => `  ${token}  (${username})`),
];
