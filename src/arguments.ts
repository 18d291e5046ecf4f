import { parseArgs } from 'node:util';
import { quote } from './config/quote.ts';

/** What the command line asks for. */
export type Request =
  | { readonly command: 'help' | 'version' | 'profile' | 'gateway' }
  | {
      readonly command: 'embedded' | 'probe' | 'check' | 'explain';
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
messaging-graphql explain FILES           prints which calls the operations of the files may make, and makes none.
                                          --max N: the exit status is 1 if one usually makes more
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
  if (first === 'probe' || first === 'check' || first === 'explain')
    return { command: first, words: rest };
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
