import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { Random } from '../../src/embedded/sample/random.ts';
import { typeBelow } from './document.ts';
import type { Genome, Selection, Service, Transport, Value } from './genome.ts';
import {
  list,
  PARTS,
  randomCount,
  randomInput,
  randomValue,
  raw,
  text,
} from './random-value.ts';

export const DIRECTIVES = [
  '',
  '@include(if: $yes)',
  '@skip(if: $no)',
  '@skip(if: $yes)',
  '@include(if: true)',
  '@nothing',
] as const;
/** A document of more aliases is refused. */
const REPEATS = [1, 1, 1, 1, 2, 10, 50, 100, 240, 300, 990] as const;

/** A field that selects nothing but what is given. */
export const select = (
  field: string,
  below: readonly Selection[] = [],
  { repeat = 1, args = {} }: { repeat?: number; args?: Record<string, Value> } = {},
): Selection => ({
  field,
  args,
  repeat,
  aliasLength: repeat > 1 ? 1 : 0,
  wrap: 'nothing',
  wraps: 0,
  directive: '',
  directiveCount: 1,
  below,
});

/** A field of a type, with arguments and selections. */
export function randomSelection(
  parent: GraphQLCompositeType | null,
  schema: GraphQLSchema,
  random: Random,
  levels = 4,
): Selection {
  const field = randomField(parent, schema, random);
  const type = typeBelow(field, parent, schema);
  const count = type === null ? 0 : levels > 0 ? 1 + random.below(3) : 0;
  const below = Array.from({ length: count }, () =>
    randomSelection(type, schema, random, levels - 1),
  );
  const repeat = random.pick(REPEATS);
  return {
    ...select(field, below.length > 0 || type === null ? below : [select('__typename')], {
      repeat,
      args: randomArguments(fieldOf(field, parent), random),
    }),
    wrap: random.chance(0.85)
      ? 'nothing'
      : random.pick(['inline fragments', 'fragments']),
    wraps: random.chance(0.8) ? 1 : random.below(200),
    directive: random.chance(0.9) ? '' : random.pick(DIRECTIVES),
  };
}

function randomField(
  parent: GraphQLCompositeType | null,
  schema: GraphQLSchema,
  random: Random,
): string {
  if (parent === null || random.chance(0.03))
    return random.pick(['unknown', '__typename', 'id']);
  if (parent === schema.getQueryType() && random.chance(0.08)) return '__schema';
  if (isUnionType(parent) || (isInterfaceType(parent) && random.chance(0.7))) {
    return `... on ${random.pick(['Message', 'Conversation'])}`;
  }
  const fields = Object.values(parent.getFields());
  const [first = '__typename', ...others] = random.chance(0.1)
    ? ['__typename']
    : // Fields that hold others lead further.
      fields
        .filter(({ type }) => isCompositeType(getNamedType(type)) || random.chance(0.5))
        .map(({ name }) => name);
  return random.pick([first, ...others]);
}

const fieldOf = (name: string, parent: GraphQLCompositeType | null) =>
  isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;

export function randomArguments(
  field: GraphQLField<unknown, unknown> | undefined,
  random: Random,
): Record<string, Value> {
  const given = (field?.args ?? []).filter(
    ({ type, name }) =>
      isNonNullType(type) || random.chance(name === 'first' ? 0.8 : 0.25),
  );
  return Object.fromEntries(
    given.map(({ name, type }) => [name, randomInput(type, name, random)]),
  );
}

export const PLAIN_TRANSPORT: Transport = {
  token: 'a token',
  method: 'POST',
  encoding: 'none',
  accept: 'application/graphql-response+json',
  acceptEncoding: 'identity',
  oddity: 'none',
  copies: 1,
  client: 'reads',
  leavesAfter: 100,
};

export const PLAIN_SERVICE: Service = {
  mode: 'answers',
  every: 1,
  status: 500,
  errorBody: raw('{}'),
  headers: 'usual',
  items: 0,
  hasMore: false,
  ids: 'asked',
  message: text('x', 10),
  attachments: list(raw('{}'), 0),
  reactions: list(raw('{}'), 0),
  oddField: '',
  odd: raw('null'),
  drift: 0,
  delay: 0,
  pace: 'whole',
};

export const ODD_FIELDS = [
  '',
  '',
  '',
  'id',
  'data',
  'message',
  'reactions',
  'attachments',
  'contact',
  'created_at',
  'read_at',
  'conversation_id',
  'pinned_message_id',
  'contact_id',
  'is_muted',
] as const;

export function randomService(random: Random): Service {
  return {
    ...PLAIN_SERVICE,
    mode: random.chance(0.75)
      ? 'answers'
      : random.pick(['fails', 'breaks off', 'sends no JSON', 'hangs']),
    every: random.pick([1, 1, 1, 2, 10]),
    status: random.pick([400, 403, 404, 422, 429, 500, 503]),
    errorBody: randomValue(random),
    headers: random.chance(0.8) ? 'usual' : random.pick(['Retry-After', 'many']),
    items: random.chance(0.8) ? 0 : Math.min(5000, randomCount(random)),
    hasMore: random.chance(0.3),
    ids: random.pick(['asked', 'asked', 'one', 'distinct']),
    message: text(random.pick(PARTS), random.chance(0.5) ? 10 : randomCount(random)),
    attachments: random.chance(0.5)
      ? list(raw('{}'), 0)
      : list(randomValue(random), randomCount(random)),
    reactions: random.chance(0.7) ? list(raw('{}'), 0) : randomReactions(random),
    oddField: random.pick(ODD_FIELDS),
    odd: randomValue(random),
    drift: random.chance(0.8) ? 0 : Math.min(5000, randomCount(random)),
    delay: random.chance(0.9) ? 0 : random.below(200),
    pace: random.chance(0.85) ? 'whole' : random.pick(['in parts', 'byte by byte']),
  };
}

const randomReactions = (random: Random): Value =>
  list(
    {
      kind: 'object',
      of: list(text('u', 1, random.chance(0.8)), randomCount(random)),
      keys: Math.min(100_000, randomCount(random)),
      keyLength: 1,
    },
    random.chance(0.5) ? 1 : randomCount(random),
  );

export function randomGenome(schema: GraphQLSchema, random: Random): Genome {
  const type = random.chance(0.75) ? 'query' : 'mutation';
  const root =
    (type === 'query' ? schema.getQueryType() : schema.getMutationType()) ?? null;
  return {
    name: 'random',
    type,
    selections: Array.from({ length: 1 + random.below(2) }, () =>
      randomSelection(root, schema, random),
    ),
    variables: {},
    padding: '',
    paddings: 0,
    operations: 0,
    extensions: null,
    transport: { ...PLAIN_TRANSPORT, token: random.chance(0.8) ? 'a token' : 'none' },
    service: randomService(random),
  };
}
