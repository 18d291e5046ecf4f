import type { GraphQLSchema } from 'graphql';
import type { Random } from '../../../src/embedded/sample/random.ts';
import type { Genome, Value } from '../genome/genome.ts';
import { DIRECTIVES } from './random-selection.ts';
import { ODD_FIELDS } from './random-service.ts';
import { PARTS, RAW, randomCount, randomValue } from './random-value.ts';

/** The same shape, but it may be written to. */
export type Draft<T> = T extends object ? { -readonly [K in keyof T]: Draft<T[K]> } : T;

/** Genes that are numbers, and their greatest value. */
const NUMBERS: Readonly<Record<string, number>> = {
  count: 2_000_000,
  keys: 300_000,
  keyLength: 9000,
  depth: 500_000,
  repeat: 1000,
  aliasLength: 1000,
  wraps: 199,
  directiveCount: 500,
  paddings: 1_000_000,
  operations: 500,
  copies: 40,
  times: 60,
  watchers: 50,
  leavesAfter: 500,
  items: 5000,
  drift: 5000,
  delay: 200,
  position: 1_000_000_000,
};

/** They use the names of variables that other operations of the document may have, as conditions. */
const OTHER_OPERATIONS = [
  'query O($x: Boolean!) { o: conversation(id: "1") @skip(if: $x) { id } }',
  'query O($x: Boolean!, $y: Boolean!, $z: Boolean!) { o: conversation(id: "1") @skip(if: $x) { id } p: conversation(id: "1") @skip(if: $y) { id } q: conversation(id: "1") @skip(if: $z) { id } }',
] as const;

/** Genes that have one of a few values. */
const CHOICES: Readonly<Record<string, readonly [unknown, ...unknown[]]>> = {
  part: PARTS,
  raw: RAW,
  directive: DIRECTIVES,
  oddField: ODD_FIELDS,
  distinct: [true, false],
  inside: ['list', 'object'],
  wrap: ['nothing', 'inline fragments', 'fragments'],
  isDefault: [true, false],
  padding: ['', '\n', '\r', '#\n', ' ', ',', '#x'],
  token: ['a token', 'a token', 'none', 'made up', 'no bearer', 'long'],
  over: ['HTTP', 'HTTP', 'HTTP', 'HTTP', 'socket', 'unfinished frames'],
  delivery: ['whole', 'whole', 'whole', 'slowly', 'cut', 'byte by byte'],
  before: ['', '', ...OTHER_OPERATIONS],
  method: ['POST', 'POST', 'POST', 'GET'],
  encoding: ['none', 'gzip', 'gzip', 'br', 'deflate'],
  accept: [
    'application/graphql-response+json',
    'application/json',
    '*/*',
    'text/html',
    'a/b,'.repeat(500),
  ],
  acceptEncoding: ['identity', 'gzip', 'br'],
  oddity: ['none', 'none', 'Expect', 'no Host', 'OPTIONS', 'many headers'],
  client: ['reads', 'reads', 'reads', 'never reads', 'leaves'],
  mode: [
    'answers',
    'answers',
    'answers',
    'fails',
    'breaks off',
    'sends no JSON',
    'hangs',
  ],
  every: [1, 1, 2, 10],
  status: [400, 403, 404, 422, 429, 500, 503],
  headers: ['usual', 'Retry-After', 'many'],
  hasMore: [true, false],
  ids: ['asked', 'one', 'distinct'],
  pace: ['whole', 'whole', 'in parts', 'byte by byte'],
};

/** A place in a genome that holds a gene. */
interface Gene {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** All places of a tree for which a condition holds. */
function collect(
  tree: unknown,
  isWanted: (key: string, value: unknown) => boolean,
  found: Gene[] = [],
): Gene[] {
  if (typeof tree !== 'object' || tree === null) return found;
  const holder = tree as Record<string, unknown>;
  for (const [key, value] of Object.entries(holder)) {
    if (isWanted(key, value)) found.push({ holder, key });
    collect(value, isWanted, found);
  }
  return found;
}

function pickGene(genes: readonly Gene[], random: Random): Gene | null {
  const [first, ...others] = genes;
  return first === undefined ? null : random.pick([first, ...others]);
}

export function changeNumber(
  draft: Draft<Genome>,
  _schema: GraphQLSchema,
  random: Random,
): void {
  const gene = pickGene(
    collect(draft, (key, value) => key in NUMBERS && typeof value === 'number'),
    random,
  );
  if (gene === null) return;
  const max = NUMBERS[gene.key] ?? 1;
  const now = Number(gene.holder[gene.key]);
  const next = random.pick([
    now * 2,
    now * 2,
    now / 2,
    now * 10,
    now / 10,
    now + 1,
    now - 1,
    max,
    randomCount(random),
  ]);
  gene.holder[gene.key] = Math.max(0, Math.min(max, Math.round(next)));
}

export function changeChoice(
  draft: Draft<Genome>,
  _schema: GraphQLSchema,
  random: Random,
): void {
  const gene = pickGene(
    collect(draft, (key) => key in CHOICES),
    random,
  );
  const choices = CHOICES[gene?.key ?? ''];
  if (gene !== null && choices !== undefined)
    gene.holder[gene.key] = random.pick(choices);
}

const isValue = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && 'kind' in value;

/** Replaces a value, or puts it into a list or an object, or takes it out of one. */
export function changeValue(
  draft: Draft<Genome>,
  _schema: GraphQLSchema,
  random: Random,
): void {
  const gene = pickGene(
    collect(draft, (_key, value) => isValue(value)),
    random,
  );
  if (gene === null) return;
  const value = gene.holder[gene.key] as Value;
  const count = randomCount(random);
  const nested: Value[] = [
    { kind: 'list', of: value, count },
    { kind: 'object', of: value, keys: count, keyLength: 1 },
    { kind: 'nested', of: value, inside: random.pick(['list', 'object']), depth: count },
    ...('of' in value ? [value.of, value.of] : []),
  ];
  gene.holder[gene.key] = random.pick([
    randomValue(random),
    randomValue(random),
    ...nested,
  ]);
}
