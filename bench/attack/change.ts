/** Random cases: new ones, and changes of others. */
import type { Random } from '../../src/embedded/sample/random.ts';
import { type Case, type Turn, toCase } from './case.ts';
import { KINDS } from './known/kinds.ts';
import { list, raw, text, type Value } from './value.ts';

/** JSON, and one word that is none. */
const RAW =
  '1 0 -1 100 null true false "" [] {} 123456789012345678901 9007199254740993 1e-400 1e400 0.10 -0 1.5 "x1" junk'.split(
    ' ',
  );
const PARTS = [...'x漢\u0000\\"%é😀 \n[', '%41', '../', 'eHg6', '1,'];

/** Parts of a case that are numbers, and their greatest value. */
const NUMBERS: Readonly<Record<string, number>> = {
  count: 2_000_000,
  keys: 300_000,
  keyLength: 9000,
  depth: 500_000,
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
/** Of the additions in a document. */
const MAX_IN_DOCUMENT = 1000;

/** An operation with the names of variables that the first one may have, as conditions. */
const skippedBy = (...names: string[]): string => {
  const variables = names.map((name) => `$${name}: Boolean!`);
  const fields = names.map(
    (name) => `o${name}: conversation(id: "1") @skip(if: $${name}) { id }`,
  );
  return `query O(${variables.join()}) { ${fields.join(' ')} }`;
};

/** Parts that have one of a few values. Usual ones stand several times, so that they are picked more often. */
const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  part: PARTS,
  raw: RAW,
  distinct: [true, false],
  inside: ['list', 'object'],
  padding: ['', '\n', '\r', '#\n', ' ', ',', '#x'],
  token: ['a token', 'a token', 'none', 'made up', 'no bearer', 'long'],
  over: ['HTTP', 'HTTP', 'HTTP', 'HTTP', 'socket', 'unfinished frames'],
  delivery: ['whole', 'whole', 'whole', 'slowly', 'cut', 'byte by byte'],
  before: ['', '', skippedBy('x'), skippedBy('x', 'y', 'z'), skippedBy('id', 'json')],
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
  mode: [...Array(5).fill('answers'), 'fails', 'breaks off', 'sends no JSON', 'hangs'],
  every: [1, 1, 2, 10],
  status: [400, 403, 404, 422, 429, 500, 503],
  headers: ['usual', 'Retry-After', 'many'],
  hasMore: [true, false],
  ids: ['asked', 'one', 'distinct'],
  pace: ['whole', 'whole', 'in parts', 'byte by byte'],
  // Fields of the service's objects that may have another value than the interface says; mostly none.
  oddField:
    ',,,id,data,message,reactions,attachments,contact,created_at,read_at,conversation_id,pinned_message_id,contact_id,is_muted'.split(
      ',',
    ),
};

/** A count up to a million. Powers, so that small and large counts are equally likely. */
const randomCount = (random: Random): number => Math.floor(2 ** (random.below(160) / 8));

const randomText = (random: Random): Value =>
  text(random.pick(PARTS), randomCount(random), random.chance(0.4));

/** Any value of JSON. */
function randomValue(random: Random, levels = 3): Value {
  const kind = random.below(levels > 0 ? 8 : 3);
  if (kind === 0) return raw(random.pick(RAW));
  if (kind < 3) return randomText(random);
  const of = randomValue(random, levels - 1);
  const count = randomCount(random);
  if (kind < 5) return list(of, count);
  if (kind === 5) {
    const keyLength = random.chance(0.7) ? 1 : randomCount(random);
    const firstKey = random.chance(0.2) ? { firstKey: 10 ** random.below(11) } : {};
    return { kind: 'object', of, keys: count, keyLength, ...firstKey };
  }
  if (kind === 6) {
    return { kind: 'nested', of, inside: random.pick(['list', 'object']), depth: count };
  }
  return { kind: 'fields', fields: { a: of, b: randomValue(random, levels - 1) } };
}

const randomNodeId = (random: Random): Value => ({
  kind: 'nodeId',
  type: random.pick(['Message', 'Conversation', 'Contact']),
  distinct: random.chance(0.5),
});
const randomId = (random: Random): Value =>
  random.chance(0.7) ? text('x', 1, random.chance(0.5)) : randomText(random);
const listOf = (of: (random: Random) => Value) => (random: Random) =>
  list(of(random), randomCount(random));
const oneOf =
  (...values: string[]) =>
  (random: Random) =>
    raw(random.pick(values));

/** The variables of KINDS: their types, and values that are valid. */
const VARIABLES: Readonly<
  Record<string, readonly [type: string, make: (random: Random) => Value]>
> = {
  any: [
    '[_Any!]!',
    listOf((random) => {
      const types = ['"Message"', '"Conversation"', '"Contact"', '"Query"'];
      const fields = { __typename: oneOf(...types)(random), id: randomId(random) };
      return { kind: 'fields', fields };
    }),
  ],
  cursor: [
    'String',
    (random) => {
      const lists = ['messages', 'conversations', 'messages?conversation_id=x1'];
      const position = random.pick([0, 1, 99, 5000, 99_900, 999_999_999]);
      return { kind: 'cursor', position, list: `/v1/${random.pick(lists)}` };
    },
  ],
  date: ['DateTime', oneOf('"2026-11-25T12:00:00.123456Z"')],
  first: ['Int', oneOf('100', '100', '10', '1', '0', '-1', '5000')],
  flag: ['Boolean!', oneOf('true', 'false')],
  id: ['ID!', randomId],
  json: ['[JSON!]', listOf(randomValue)],
  nodeId: ['ID!', randomNodeId],
  nodeIds: ['[ID!]!', listOf(randomNodeId)],
  text: ['String!', randomText],
  usernames: ['[String!]!', listOf(randomText)],
};

/** Gives a value to each variable of the document that has none. */
export function complete(draft: Case, random: Random): Case {
  for (const [, name = ''] of draft.document.matchAll(/\$(\w+)/g)) {
    const known = VARIABLES[name];
    if (known === undefined || name in draft.variables) continue;
    const [type, make] = known;
    const value = random.chance(0.1) ? randomValue(random, 1) : make(random);
    draft.variables[name] = { type, value };
  }
  return draft;
}

/** A case that has no parents. */
export function randomCase(random: Random): Case {
  const draft = structuredClone(toCase('random', random.pick(KINDS)));
  if (random.chance(0.5)) addKind(draft, random);
  for (let left = random.below(5); left > 0; left -= 1) changePart(draft.service, random);
  if (random.chance(0.2)) draft.transport.token = 'none';
  return complete(draft, random);
}

/** Changes a draft. */
type Change = (draft: Case, random: Random) => void;

/** Returns another case that differs in one to four parts. */
export function mutate(one: Case, random: Random): Case {
  const draft = { ...structuredClone(one), name: '' };
  for (let left = random.pick([1, 1, 2, 2, 3, 4]); left > 0; left -= 1)
    random.pick(CHANGES)(draft, random);
  return complete(draft, random);
}

/** Returns a case with parts of both. */
export function cross(one: Case, other: Case, random: Random): Case {
  const mixed = {
    ...one,
    service: random.chance(0.6) ? other.service : one.service,
    transport: random.chance(0.3) ? other.transport : one.transport,
    turns: random.chance(0.5) ? other.turns : one.turns,
    watchers: random.chance(0.3) ? other.watchers : one.watchers,
  };
  if (one.type !== other.type || random.chance(0.6)) return mixed;
  const variables = { ...other.variables, ...one.variables };
  return { ...mixed, document: join(one.document, other.document), variables };
}

/** Both selections, unless they are long. */
const join = (one: string, other: string): string =>
  one.length + other.length > 1500 ? one : `${one.slice(0, -1)} ${other.slice(1)}`;

/** A place in a case that holds a part. */
interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Picks one of the places of a tree for which a condition holds. */
function pickPlace(
  tree: object,
  random: Random,
  isWanted: (key: string, value: unknown) => boolean,
): Place | undefined {
  const found: Place[] = [];
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

function nextNumber(now: number, max: number, random: Random): number {
  const near = [now * 2, now * 2, now / 2, now * 10, now / 10, now + 1, now - 1];
  const next = random.pick([...near, max, randomCount(random)]);
  return Math.max(0, Math.min(max, Math.round(next)));
}

function changeNumber(tree: object, random: Random): void {
  const place = pickPlace(
    tree,
    random,
    (key, value) => key in NUMBERS && typeof value === 'number',
  );
  if (place === undefined) return;
  const { holder, key } = place;
  holder[key] = nextNumber(Number(holder[key]), NUMBERS[key] ?? 1, random);
}

function changeChoice(tree: object, random: Random): void {
  const place = pickPlace(tree, random, (key) => key in CHOICES);
  if (place !== undefined)
    place.holder[place.key] = random.pick(CHOICES[place.key] ?? []);
}

/** Replaces a value, or puts it into a list or an object, or takes it out of one. */
function changeValue(tree: object, random: Random): void {
  const place = pickPlace(
    tree,
    random,
    (_key, value) => typeof value === 'object' && value !== null && 'kind' in value,
  );
  if (place === undefined) return;
  const value = place.holder[place.key] as Value;
  const count = randomCount(random);
  place.holder[place.key] = random.pick<Value>([
    randomValue(random),
    randomValue(random),
    list(value, count),
    { kind: 'object', of: value, keys: count, keyLength: 1 },
    { kind: 'nested', of: value, inside: random.pick(['list', 'object']), depth: count },
    ...('of' in value ? [value.of, value.of] : []),
  ]);
}

const changePart = (tree: object, random: Random): void =>
  random.pick([changeNumber, changeChoice, changeValue, changeValue])(tree, random);

/** Changes a number of the document, or repeats one of its selections under aliases. */
const changeDocument: Change = (draft, random) => {
  const { document } = draft;
  const pattern = random.chance(0.6) ? /(?<=n: |alias: )\d+/g : /(?<=\w )(?=\{)/g;
  const found = random.pick([...document.matchAll(pattern)]);
  if (found === undefined) return;
  const [now] = found;
  const next =
    now === '' ? '@times(n: 100) ' : nextNumber(Number(now), MAX_IN_DOCUMENT, random);
  const end = found.index + now.length;
  draft.document = `${document.slice(0, found.index)}${next}${document.slice(end)}`;
};

/** Replaces the document by one of KINDS, or lets it select that too. */
const addKind: Change = (draft, random) => {
  const kind = toCase('', random.pick(KINDS));
  if (kind.type === draft.type && random.chance(0.6))
    draft.document = join(draft.document, kind.document);
  else Object.assign(draft, { type: kind.type, document: kind.document, variables: {} });
};

/** Adds a request with other values of some variables, takes one away, or lets B send the document. */
const changeTurns: Change = (draft, random) => {
  const names = Object.keys(draft.variables).filter(() => random.chance(0.7));
  const values: Turn['values'] = {};
  for (const name of names) values[name] = randomValue(random);
  if (random.chance(0.2)) draft.ofB = random.chance(0.5) ? null : values;
  else if (random.chance(0.3)) draft.turns.pop();
  else if (draft.turns.length < 5)
    draft.turns.push({ values, times: random.pick([1, 2, 3, 20]) });
};

/** Those that stand several times are picked more often. */
const CHANGES: readonly Change[] = [
  changeNumber,
  changeNumber,
  changeChoice,
  changeValue,
  changeDocument,
  changeDocument,
  addKind,
  ({ service }, random) => changePart(service, random),
  changeTurns,
  (draft, random) => {
    draft.extensions = random.chance(0.7) ? null : randomValue(random);
  },
];
