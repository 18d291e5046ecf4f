import { parseArgs } from 'node:util';
import { countWorkers, startCluster } from './cluster/cluster.ts';
import { runWorker } from './cluster/worker.ts';
import { DEFAULT_ANSWERS, parseAnswers } from './embedded/answers.ts';
import { type EmbeddedService, startEmbeddedService } from './embedded/service.ts';
import {
  type Config,
  type Environment,
  type Gateway,
  type GatewayOptions,
  loadConfig,
  printSchema,
  startGateway,
} from './gateway.ts';
import { describeProfile } from './probe/open-points.ts';

/** A running command: the lines to print, with the address in the first one, and a way to stop it. */
export interface Started {
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/** Before it stops, the gateway answers clients with open connections this much longer, and asks them to reconnect. Unit: milliseconds. */
const LINGER_MS = 250;

export const USAGE = `messaging-graphql [--profile]             starts the gateway; the README lists its settings. --profile also
                                          prints how it reads what the interface leaves open
messaging-graphql embedded [name=value]   starts only the embedded messaging service, on port 4001 or PORT; each
                                          name=value settles a point that the interface leaves open
messaging-graphql probe <base address>    finds out, with reads only, how a service settles these open points.
                                          The token comes from MESSAGING_TOKEN or a prompt. --env prints
                                          settings, --json a full record
messaging-graphql schema                  prints the GraphQL schema, all of it in one file. --federation prints it
                                          as a Federation 2 subgraph
messaging-graphql --help                  prints this help`;

/** Starts the gateway, in front of an embedded service unless MESSAGING_URL names a real one. */
export async function startGatewayCommand(
  env: Environment,
  { withProfile = false } = {},
): Promise<Started> {
  const config = loadConfig(env);
  const options = { ...config, lingerMs: LINGER_MS };
  if (config.messagingUrl === 'embedded') return startWithEmbedded(options, withProfile);
  const gateway = await startProcesses(options);
  return { lines: describe(gateway.url, config, withProfile), stop: gateway.stop };
}

/** In this process, or in as many others as WORKERS says. */
const startProcesses = (
  options: GatewayOptions,
): Promise<Pick<Gateway, 'url' | 'stop'>> => {
  const count = countWorkers(options.workers);
  return count === 1 ? startGateway(options) : startCluster(options, count);
};

/** The command of each of these processes. */
export const startWorkerCommand = runWorker;

async function startWithEmbedded(
  given: GatewayOptions,
  withProfile: boolean,
): Promise<Started> {
  const service = await startEmbeddedService();
  const token = firstToken(service);
  const options = {
    ...given,
    messagingUrl: service.url,
    // The unit is known here, so clients can read date-times without a setting.
    timestampUnit: given.timestampUnit ?? DEFAULT_ANSWERS.timestampUnit,
    explorerToken: token,
  };
  const gateway = await startProcesses(options);
  const query =
    '{ conversations(first: 3) { nodes { id messages(first: 1) { nodes { message } } } } }';
  return {
    lines: [
      ...describe(gateway.url, options, withProfile),
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

const describe = (url: string, config: Config, withProfile: boolean): string[] => [
  `messaging-graphql listens on ${url}`,
  ...(withProfile ? describeProfile(config) : []),
];

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

/** The whole schema, for code generators and compilers, or as a subgraph for composers. No setting matters. */
export function printSchemaCommand(words: readonly string[]): string {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { federation: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) return USAGE;
  if (positionals.length === 0) return printSchema({ federation: values.federation });
  throw new Error(`The command "schema" takes no "${positionals.join(' ')}".`);
}
