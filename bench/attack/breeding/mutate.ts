import type { GraphQLCompositeType, GraphQLSchema } from 'graphql';
import type { Random } from '../../../src/embedded/sample/random.ts';
import { fieldsOf, typeBelow } from '../genome/document.ts';
import type { Genome, Selection, Value } from '../genome/genome.ts';
import { list } from '../genome/value.ts';
import {
  DIRECTIVES,
  ODD_FIELDS,
  PARTS,
  RAW,
  randomArguments,
  randomCount,
  randomSelection,
  randomService,
  randomValue,
} from './random.ts';

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

const skippedBy = (name: string) =>
  `o${name}: conversation(id: "1") @skip(if: $${name}) { id }`;

/** Genes that have one of a few values. Usual ones stand several times, so that they are picked more often. */
const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
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
  // Operations with the names of variables that the first one may have, as conditions.
  before: [
    '',
    '',
    `query O($x: Boolean!) { ${skippedBy('x')} }`,
    `query O($x: Boolean!, $y: Boolean!, $z: Boolean!) { ${['x', 'y', 'z'].map(skippedBy).join(' ')} }`,
  ],
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
const MAX_TURNS = 5;

/** Changes a draft. */
type Change = (draft: Genome, random: Random, schema: GraphQLSchema) => void;

/** Returns another genome that differs in one to four genes. */
export function mutate(genome: Genome, schema: GraphQLSchema, random: Random): Genome {
  const draft = structuredClone(genome);
  const changes = random.pick([1, 1, 2, 2, 3, 4]);
  for (let index = 0; index < changes; index += 1)
    random.pick(CHANGES)(draft, random, schema);
  return draft;
}

/** Returns a genome with parts of both. */
export function cross(one: Genome, other: Genome, random: Random): Genome {
  const mixed = {
    ...one,
    service: random.chance(0.6) ? other.service : one.service,
    transport: random.chance(0.3) ? other.transport : one.transport,
    turns: random.chance(0.5) ? other.turns : one.turns,
    watchers: random.chance(0.3) ? other.watchers : one.watchers,
  };
  if (one.type !== other.type || random.chance(0.6)) return mixed;
  return {
    ...mixed,
    selections: [...one.selections, ...other.selections].slice(0, 6),
    variables: { ...other.variables, ...one.variables },
  };
}

/** A place in a genome that holds a gene. */
interface Gene {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Picks one of the places of a tree for which a condition holds. */
function pickGene(
  tree: object,
  random: Random,
  isWanted: (key: string, value: unknown) => boolean,
): Gene | undefined {
  const found: Gene[] = [];
  const collect = (holder: Record<string, unknown>) => {
    for (const [key, value] of Object.entries(holder)) {
      if (isWanted(key, value)) found.push({ holder, key });
      if (typeof value === 'object' && value !== null)
        collect(value as Record<string, unknown>);
    }
  };
  collect(tree as Record<string, unknown>);
  return random.pick(found);
}

const changeNumber: Change = (draft, random) => {
  const gene = pickGene(
    draft,
    random,
    (key, value) => key in NUMBERS && typeof value === 'number',
  );
  if (gene === undefined) return;
  const max = NUMBERS[gene.key] ?? 1;
  const now = Number(gene.holder[gene.key]);
  const near = [now * 2, now * 2, now / 2, now * 10, now / 10, now + 1, now - 1];
  const next = random.pick([...near, max, randomCount(random)]);
  gene.holder[gene.key] = Math.max(0, Math.min(max, Math.round(next)));
};

const changeChoice: Change = (draft, random) => {
  const gene = pickGene(draft, random, (key) => key in CHOICES);
  if (gene !== undefined) gene.holder[gene.key] = random.pick(CHOICES[gene.key] ?? []);
};

/** Replaces a value, or puts it into a list or an object, or takes it out of one. */
const changeValue: Change = (draft, random) => {
  const gene = pickGene(
    draft,
    random,
    (_key, value) => typeof value === 'object' && value !== null && 'kind' in value,
  );
  if (gene === undefined) return;
  const value = gene.holder[gene.key] as Value;
  const count = randomCount(random);
  gene.holder[gene.key] = random.pick<Value>([
    randomValue(random),
    randomValue(random),
    list(value, count),
    { kind: 'object', of: value, keys: count, keyLength: 1 },
    { kind: 'nested', of: value, inside: random.pick(['list', 'object']), depth: count },
    ...('of' in value ? [value.of, value.of] : []),
  ]);
};

/** A selection, where it is, and the type that its field belongs to. */
interface Place {
  readonly own: Selection;
  readonly siblings: Selection[];
  readonly index: number;
  readonly parent: GraphQLCompositeType | null;
}

/** Undefined if there are no selections. */
function pickPlace(
  { type, selections }: Genome,
  random: Random,
  schema: GraphQLSchema,
): Place | undefined {
  const toPlaces = (
    siblings: Selection[],
    parent: GraphQLCompositeType | null,
  ): Place[] =>
    siblings.flatMap((own, index) => [
      { own, siblings, index, parent },
      ...toPlaces(own.below, typeBelow(own.field, parent, schema)),
    ]);
  return random.pick(toPlaces(selections, schema.getRootType(type as never) ?? null));
}

/** Adds, removes, replaces or doubles a selection. */
const changeSelection: Change = (draft, random, schema) => {
  const place = pickPlace(draft, random, schema);
  if (place === undefined) return;
  const { own, siblings, index, parent } = place;
  const below = typeBelow(own.field, parent, schema);
  const make = (type: GraphQLCompositeType | null) =>
    randomSelection(type, schema, random, 2);
  const change = random.below(below === null ? 4 : 6);
  if (change === 0) siblings.push(make(parent));
  else if (change === 1 && siblings.length > 1) siblings.splice(index, 1);
  else if (change === 2) siblings[index] = make(parent);
  else if (change === 3) siblings.push(structuredClone(own));
  else if (below !== null) own.below.push(make(below));
};

const changeArguments: Change = (draft, random, schema) => {
  const place = pickPlace(draft, random, schema);
  if (place === undefined) return;
  const { own, parent } = place;
  Object.assign(own.args, randomArguments(fieldsOf(parent)[own.field], random));
};

/** Turns the value of an argument into a variable, which can be used again. */
const shareArgument: Change = (draft, random, schema) => {
  const place = pickPlace(draft, random, schema);
  const argument = random.pick(
    fieldsOf(place?.parent ?? null)[place?.own.field ?? '']?.args ?? [],
  );
  if (place === undefined || argument === undefined) return;
  const type = String(argument.type);
  const { args } = place.own;
  const value = args[argument.name];
  const known = Object.keys(draft.variables).find(
    (name) => draft.variables[name]?.type === type,
  );
  const name = known ?? `v${Object.keys(draft.variables).length}`;
  if (known === undefined) {
    if (value === undefined || JSON.stringify(value).includes('"variable"')) return;
    draft.variables[name] = { type, value, isDefault: false };
  }
  args[argument.name] = { kind: 'variable', name };
};

/** Adds a request with other values of some variables, takes one away, or lets B send the document. */
const changeTurns: Change = (draft, random) => {
  const names = Object.keys(draft.variables).filter(() => random.chance(0.7));
  const values = Object.fromEntries(names.map((name) => [name, randomValue(random)]));
  if (random.chance(0.2)) draft.ofB = random.chance(0.5) ? null : values;
  else if (random.chance(0.3)) draft.turns.pop();
  else if (draft.turns.length < MAX_TURNS)
    draft.turns.push({ values, times: random.pick([1, 2, 3, 20]) });
};

const changeService: Change = (draft, random) => {
  if (random.chance(0.5)) draft.service = randomService(random);
  else draft.extensions = random.chance(0.7) ? null : randomValue(random);
};

/** Those that stand twice are picked more often. */
const CHANGES: readonly Change[] = [
  changeNumber,
  changeNumber,
  changeChoice,
  changeValue,
  changeSelection,
  changeSelection,
  changeArguments,
  shareArgument,
  changeService,
  changeTurns,
];
