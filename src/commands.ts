import { parseArgs } from 'node:util';
import { countWorkers, startCluster } from './cluster/cluster.ts';
import { quote } from './config/quote.ts';
import { findWarnings } from './config/warnings.ts';
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
import { SHORT_LIST, SHORT_QUERY } from './messaging/examples.ts';
import { describeProfile } from './messaging/open-points.ts';

export { printSchema } from './gateway.ts';

/** What the command line asks for. */
export type Request =
  | { readonly command: 'help' | 'version' | 'profile' | 'gateway' }
  | {
      readonly command: 'embedded' | 'probe' | 'check';
      /** What follows the command. */
      readonly words: readonly string[];
    }
  /** `federation`: as a Federation 2 subgraph. */
  | { readonly command: 'schema'; readonly federation: boolean };

export const USAGE = `messaging-graphql                         starts the gateway. The README lists its settings; they come from the
                                          environment or from the file .env of the current folder
messaging-graphql check                   says whether the service, the token and the settings fit, with reads only.
                                          The token comes from MESSAGING_TOKEN or a prompt
messaging-graphql probe <base address>    finds out, with reads only, how a service settles what the interface leaves
                                          open. The token comes from MESSAGING_TOKEN or a prompt. --env prints
                                          settings for the file .env, --json the whole report
messaging-graphql embedded [name=value]   starts only the embedded messaging service, on port 4001 or PORT; each
                                          name=value settles a point that the interface leaves open, and
                                          an unknown name is answered with the list of names
messaging-graphql schema                  prints the GraphQL schema, all of it in one file. --federation prints it
                                          as a Federation 2 subgraph
messaging-graphql --profile               prints how the gateway, with its present settings, reads what the
                                          interface leaves open
messaging-graphql --version               prints the version
messaging-graphql --help                  prints this help`;

/** Wrong arguments; the message says which, and how to use the command. */
class UsageError extends Error {
  constructor(problem: string) {
    super(`${problem}\n\n${USAGE}`);
  }
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  profile: { type: 'boolean' },
  federation: { type: 'boolean' },
} as const;

/** Reads the arguments of the command line; throws UsageError. */
export function readArguments(args: readonly string[]): Request {
  const [first, ...rest] = args;
  // These read their own arguments: one of them could be a token, so their errors never repeat them.
  if (first === 'probe' || first === 'check') return { command: first, words: rest };
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    if (!Object.hasOwn(OPTIONS, token.name)) {
      throw new UsageError(`There is no option "${quote(token.rawName)}".`);
    }
    if (token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value.`);
  }
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version' };
  const [command, ...words] = positionals;
  if (values.profile) {
    if (command === undefined) return { command: 'profile' };
    throw new UsageError('--profile goes with no command.');
  }
  const federation = values.federation === true;
  if (federation && command !== 'schema')
    throw new UsageError('--federation goes with the command "schema" alone.');
  if (command === undefined) return { command: 'gateway' };
  if (command === 'embedded') return { command, words };
  if (command === 'schema' && words.length === 0) return { command, federation };
  if (command === 'schema')
    throw new UsageError(`The command "schema" takes no "${quote(words.join(' '))}".`);
  throw new UsageError(`There is no command "${quote(command)}".`);
}

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
  const warnings = findWarnings(env, config);
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

function describeSample({
  url,
  sampleUsers,
}: Pick<ListeningGateway, 'url' | 'sampleUsers'>): string[] {
  return [
    'It serves sample data from an embedded messaging service. Set MESSAGING_URL to use a real one.',
    ...describeTokens(sampleUsers),
    'Open the address in a browser, or paste:',
    `  curl ${url}/graphql -H 'Authorization: Bearer ${firstToken(sampleUsers)}' -H 'Content-Type: application/json' -d '{"query":"${SHORT_QUERY}"}'`,
  ];
}

/** What the gateway assumes of the service with these settings, and what is probably wrong with the settings. */
export function describeSettings(env: Environment): {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
} {
  const config = withKnownUnit(loadConfig(env));
  return { lines: describeProfile(config), warnings: findWarnings(env, config) };
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
