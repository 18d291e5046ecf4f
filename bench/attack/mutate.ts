import {
  type GraphQLCompositeType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { Random } from '../../src/embedded/sample/random.ts';
import { typeBelow } from './document.ts';
import type { Genome, Selection, Value } from './genome.ts';
import {
  DIRECTIVES,
  ODD_FIELDS,
  randomArguments,
  randomSelection,
  randomService,
  select,
} from './random-genome.ts';
import { PARTS, RAW, randomCount, randomValue } from './random-value.ts';

/** The same shape, but it may be written to. */
type Draft<T> = T extends object ? { -readonly [K in keyof T]: Draft<T[K]> } : T;

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
  copies: 4,
  leavesAfter: 500,
  items: 5000,
  drift: 5000,
  delay: 200,
  position: 1_000_000_000,
};

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
  token: ['a token', 'a token', 'none', 'no bearer', 'long'],
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

/** Returns another genome that differs in one to four genes. */
export function mutate(genome: Genome, schema: GraphQLSchema, random: Random): Genome {
  const draft = structuredClone(genome) as Draft<Genome>;
  const changes = random.pick([1, 1, 2, 2, 3, 4]);
  for (let index = 0; index < changes; index += 1) {
    const change = random.pick([
      changeNumber,
      changeNumber,
      changeChoice,
      changeValue,
      changeSelection,
      changeSelection,
      changeArguments,
      shareArgument,
      changeService,
    ]);
    change(draft, schema, random);
  }
  return draft as Genome;
}

/** Returns a genome with parts of both. */
export function cross(one: Genome, other: Genome, random: Random): Genome {
  const mixed = {
    ...one,
    service: random.chance(0.6) ? other.service : one.service,
    transport: random.chance(0.3) ? other.transport : one.transport,
  };
  if (one.type !== other.type || random.chance(0.6)) return mixed;
  return {
    ...mixed,
    selections: [...one.selections, ...other.selections].slice(0, 6),
    variables: { ...other.variables, ...one.variables },
  };
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

function changeNumber(
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

function changeChoice(
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
function changeValue(draft: Draft<Genome>, _schema: GraphQLSchema, random: Random): void {
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

/** A selection, where it is, and the type that its field belongs to. */
interface Place {
  readonly siblings: Draft<Selection>[];
  readonly index: number;
  readonly parent: GraphQLCompositeType | null;
}

function listPlaces(
  siblings: Draft<Selection>[],
  parent: GraphQLCompositeType | null,
  schema: GraphQLSchema,
): Place[] {
  return siblings.flatMap(({ field, below }, index) => [
    { siblings, index, parent },
    ...listPlaces(below, typeBelow(field, parent, schema), schema),
  ]);
}

function pickPlace(
  draft: Draft<Genome>,
  schema: GraphQLSchema,
  random: Random,
): Place | null {
  const root = schema.getRootType(draft.type as never) ?? null;
  const [first, ...others] = listPlaces(draft.selections, root, schema);
  return first === undefined ? null : random.pick([first, ...others]);
}

/** Adds, removes, replaces or doubles a selection. */
function changeSelection(
  draft: Draft<Genome>,
  schema: GraphQLSchema,
  random: Random,
): void {
  const place = pickPlace(draft, schema, random);
  if (place === null) {
    draft.selections.push(select('__typename') as Draft<Selection>);
    return;
  }
  const { siblings, index, parent } = place;
  const made = () => randomSelection(parent, schema, random, 2) as Draft<Selection>;
  const own = siblings[index] as Draft<Selection>;
  const below = typeBelow(own.field, parent, schema);
  const change = random.below(below === null ? 4 : 6);
  if (change === 0) siblings.push(made());
  else if (change === 1 && siblings.length > 1) siblings.splice(index, 1);
  else if (change === 2) siblings[index] = made();
  else if (change === 3) siblings.push(structuredClone(own));
  else if (below !== null) {
    own.below.push(randomSelection(below, schema, random, 2) as Draft<Selection>);
  }
}

function changeArguments(
  draft: Draft<Genome>,
  schema: GraphQLSchema,
  random: Random,
): void {
  const place = pickPlace(draft, schema, random);
  const own = place?.siblings[place.index];
  if (!place || !own) return;
  const { parent } = place;
  if (!isObjectType(parent) && !isInterfaceType(parent)) return;
  own.args = {
    ...own.args,
    ...randomArguments(parent.getFields()[own.field], random),
  } as typeof own.args;
}

/** Turns the value of an argument into a variable, which can be used again. */
function shareArgument(
  draft: Draft<Genome>,
  schema: GraphQLSchema,
  random: Random,
): void {
  const place = pickPlace(draft, schema, random);
  const own = place?.siblings[place.index];
  if (!place || !own) return;
  const { parent } = place;
  if (!isObjectType(parent) && !isInterfaceType(parent)) return;
  const [first, ...others] = parent.getFields()[own.field]?.args ?? [];
  if (first === undefined) return;
  const { name, type } = random.pick([first, ...others]);
  const value = own.args[name];
  const known = Object.entries(draft.variables).find(
    ([, one]) => one.type === String(type),
  );
  const shared = known?.[0] ?? `v${Object.keys(draft.variables).length}`;
  if (known === undefined) {
    if (value === undefined || JSON.stringify(value).includes('"variable"')) return;
    draft.variables[shared] = { type: String(type), value, isDefault: false };
  }
  own.args[name] = { kind: 'variable', name: shared };
}

function changeService(
  draft: Draft<Genome>,
  _schema: GraphQLSchema,
  random: Random,
): void {
  if (random.chance(0.5))
    draft.service = randomService(random) as Draft<Genome['service']>;
  else draft.extensions = random.chance(0.7) ? null : (randomValue(random) as never);
}
