import { parseAnswers } from './embedded/answers.ts';
import type { SampleUser } from './embedded/sample/mailboxes.ts';
import { startEmbeddedService } from './embedded/service.ts';
import { withKnownUnit } from './gateway/service.ts';
import {
  type Config,
  type Environment,
  type ListeningGateway,
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
messaging-graphql schema                  prints the GraphQL schema, all of it in one file
messaging-graphql --help                  prints this help`;

/** Starts the gateway, in front of an embedded service unless MESSAGING_URL names a real one. */
export async function startGatewayCommand(
  env: Environment,
  { withProfile = false } = {},
): Promise<Started> {
  const config = withKnownUnit(loadConfig(env));
  const gateway = await startGateway({ ...config, lingerMs: LINGER_MS });
  const lines = [
    ...describe(gateway.url, config, withProfile),
    ...(gateway.sampleUsers.length > 0 ? describeSample(gateway) : []),
  ];
  return { lines, stop: gateway.close };
}

function describeSample({ url, sampleUsers }: ListeningGateway): string[] {
  const query =
    '{ conversations(first: 3) { nodes { id messages(first: 1) { nodes { message } } } } }';
  return [
    'It serves sample data from an embedded messaging service. Set MESSAGING_URL to use a real one.',
    ...describeTokens(sampleUsers),
    'Open the address in a browser, or paste:',
    `  curl ${url}/graphql -H 'Authorization: Bearer ${firstToken(sampleUsers)}' -H 'Content-Type: application/json' -d '{"query":"${query}"}'`,
  ];
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

/** The whole schema, for code generators and compilers. No setting matters. */
export function printSchemaCommand(words: readonly string[]): string {
  if (words.length === 0) return printSchema();
  throw new Error(`The command "schema" takes no "${words.join(' ')}".`);
}
