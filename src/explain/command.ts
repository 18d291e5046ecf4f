import { readFile } from 'node:fs/promises';
import { Kind, parse, print, separateOperations } from 'graphql';
import { quote } from '../config/quote.ts';
import { type Environment, loadConfig } from '../config.ts';
import type { ExplainedField, Explanation } from '../cost/explanation.ts';
import { createGateway } from '../gateway.ts';
import { madeUpVariables } from './variables.ts';

const USAGE = 'messaging-graphql explain [--max N] FILES';

interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs `messaging-graphql explain`: prints the calls that each operation of the files may make with the present settings, and
 * makes none. Required variables have made-up values. Returns the exit status: 1 if an operation is refused, or usually makes
 * more calls than `--max`; else 0.
 */
export async function startExplainCommand(
  words: readonly string[],
  env: Environment,
  { stdout, stderr }: Streams,
): Promise<number> {
  const asked = parseWords(words);
  if (asked === null) {
    stderr.write(`Usage: ${USAGE}\n`);
    return 1;
  }
  const config = { ...loadConfig(env), logLevel: 'silent', redisUrl: null } as const;
  const gateway = await createGateway({ ...config, trustedDocuments: null });
  let status = 0;
  try {
    for (const { name, document } of await readOperations(asked.files)) {
      const { extensions, errors = [] } = await gateway.execute({
        query: print(document),
        variables: madeUpVariables(gateway.schema, document, config.maxPageSize),
        extensions: { explain: true },
      });
      const found = extensions?.explain as Explanation | undefined;
      const isTooMany = (found?.usual ?? 0) > asked.max;
      if (found === undefined || isTooMany) status = 1;
      stdout.write(`${name}: ${found === undefined ? 'refused' : total(found)}\n`);
      if (isTooMany) stdout.write(`  more than ${asked.max}\n`);
      for (const { message } of errors) stdout.write(`  ${message}\n`);
      for (const line of lines(found?.calls ?? [], '  ')) stdout.write(`${line}\n`);
    }
  } finally {
    await gateway.close();
  }
  return status;
}

/** Null if they make no sense. */
function parseWords(words: readonly string[]) {
  const [flag, number, ...rest] = words;
  const hasMax = flag === '--max';
  const max = hasMax ? Number(number) : Number.POSITIVE_INFINITY;
  const files = hasMax ? rest : words;
  const isUsable = files.length > 0 && files.every((file) => !file.startsWith('-'));
  return isUsable && max >= 0 ? { max, files } : null;
}

/** Each operation with the fragments that it needs, which may be in other files. Throws for a file that cannot be read. */
async function readOperations(files: readonly string[]) {
  const documents = await Promise.all(files.map(readDocument));
  const definitions = documents.flatMap((document) => document.definitions);
  const separate = separateOperations({ kind: Kind.DOCUMENT, definitions });
  return Object.entries(separate).map(([name, document]) => ({
    name: name === '' ? '(no name)' : name,
    document,
  }));
}

async function readDocument(file: string) {
  try {
    return parse(await readFile(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${quote(file)} cannot be read: ${code ?? message}`);
  }
}

type Numbers = Pick<Explanation, 'least' | 'usual' | 'most'>;

function total({ least, usual, most }: Numbers): string {
  const range = least < usual ? `${least} to ${usual}` : `${usual}`;
  const noun = usual === 1 ? 'call' : 'calls';
  return `${range} ${noun}${most > usual ? `, ${most} at most` : ''}`;
}

function* lines(calls: readonly ExplainedField[], indent: string): Iterable<string> {
  for (const field of calls) {
    yield `${indent}${field.field}: ${total(field)}`;
    yield* lines(field.then, `${indent}  `);
  }
}
