/** Random requests: most are valid, and ask for much. */
import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isUnionType,
} from 'graphql';
import type { Random } from '../../../src/embedded/sample/random.ts';
import { fieldsOf, typeBelow } from '../genome/document.ts';
import type { Genome, Selection, Service, Value } from '../genome/genome.ts';
import { ALONE, PLAIN_SERVICE, PLAIN_TRANSPORT, select } from '../genome/plain.ts';
import { list, raw, text } from '../genome/value.ts';

/** JSON, and one word that is none. */
export const RAW =
  '1 0 -1 100 null true false "" [] {} 123456789012345678901 9007199254740993 1e-400 1e400 0.10 -0 1.5 "x1" junk'.split(
    ' ',
  );
export const PARTS = [...'x漢\u0000\\"%é😀 \n[', '%41', '../', 'eHg6', '1,'];
export const DIRECTIVES = [
  '',
  '@include(if: $yes)',
  '@skip(if: $no)',
  '@skip(if: $yes)',
  '@include(if: true)',
  '@nothing',
];
/** Fields of the service's objects that may have another value than the interface says; mostly none. */
export const ODD_FIELDS =
  ',,,id,data,message,reactions,attachments,contact,created_at,read_at,conversation_id,pinned_message_id,contact_id,is_muted'.split(
    ',',
  );
/** A document of more aliases is refused. */
const REPEATS = [1, 1, 1, 1, 2, 10, 50, 100, 240, 300, 990];
/** Powers, so that small and large counts are equally likely. */
const MAX_EXPONENT = 20;

/** A count up to a million. */
export const randomCount = (random: Random): number =>
  Math.floor(2 ** (random.below(MAX_EXPONENT * 8) / 8));

const randomText = (random: Random): Value =>
  text(random.pick(PARTS), randomCount(random), random.chance(0.4));

/** Any value of JSON. */
export function randomValue(random: Random, levels = 3): Value {
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

/** A value for an argument or a field of an input. Most are valid. */
function randomInput(type: GraphQLInputType, name: string, random: Random): Value {
  if (random.chance(0.03)) return randomValue(random, 1);
  const given = getNullableType(type);
  if (isListType(given)) {
    return list(randomInput(given.ofType, name, random), randomCount(random));
  }
  if (isInputObjectType(given)) {
    return {
      kind: 'fields',
      fields: randomInputs(Object.values(given.getFields()), random),
    };
  }
  if (name === 'after' || name === 'before') return randomCursor(random);
  switch (given.name) {
    case 'ID':
      return randomId(name, random);
    case 'JSON':
      return randomValue(random);
    case '_Any':
      return randomRepresentation(random);
    case 'Boolean':
      return raw(random.pick(['true', 'false']));
    case 'String':
      return randomText(random);
    default:
      return raw(random.pick(['100', '100', '10', '1', '0', '-1', '5000']));
  }
}

/** Values for some of these arguments or fields of an input, and for all that must be given. */
function randomInputs(
  all: readonly { readonly name: string; readonly type: GraphQLInputType }[],
  random: Random,
): Record<string, Value> {
  const given = all.filter(
    ({ type, name }) =>
      isNonNullType(type) || random.chance(name === 'first' ? 0.8 : 0.3),
  );
  return Object.fromEntries(
    given.map(({ name, type }) => [name, randomInput(type, name, random)]),
  );
}

function randomId(name: string, random: Random): Value {
  if (name.startsWith('nodeId') && random.chance(0.8)) {
    const type = random.pick(['Message', 'Conversation', 'Contact'] as const);
    return { kind: 'nodeId', type, distinct: random.chance(0.5) };
  }
  return random.chance(0.7) ? text('x', 1, random.chance(0.5)) : randomText(random);
}

/** What a federation gateway names an object by. */
const randomRepresentation = (random: Random): Value => ({
  kind: 'fields',
  fields: {
    __typename: raw(random.pick(['"Message"', '"Conversation"', '"Contact"', '"Query"'])),
    id: randomId('id', random),
  },
});

function randomCursor(random: Random): Value {
  if (random.chance(0.4)) return randomText(random);
  const lists = ['messages', 'conversations', 'messages?conversation_id=x1'];
  return {
    kind: 'cursor',
    position: random.pick([0, 1, 99, 5000, 99_900, 999_999_999]),
    list: `/v1/${random.pick(lists)}`,
  };
}

/** A field of a type, with arguments and selections. */
export function randomSelection(
  parent: GraphQLCompositeType | null,
  schema: GraphQLSchema,
  random: Random,
  levels = 4,
): Selection {
  const field = randomField(parent, schema, random);
  const type = typeBelow(field, parent, schema);
  const count = type === null || levels === 0 ? 0 : 1 + random.below(3);
  const below = Array.from({ length: count }, () =>
    randomSelection(type, schema, random, levels - 1),
  );
  if (type !== null && count === 0) below.push(select('__typename'));
  return {
    ...select(field, below, {
      repeat: random.pick(REPEATS),
      args: randomArguments(fieldsOf(parent)[field], random),
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
  const fields = Object.values(fieldsOf(parent));
  // Fields of the type itself are few where it is an interface, and none where it is a union.
  if (isUnionType(parent) || (fields.length === 1 && random.chance(0.7)))
    return `... on ${random.pick(['Message', 'Conversation'])}`;
  // Fields that hold others lead further.
  const leading = fields.filter(
    ({ type }) => isCompositeType(getNamedType(type)) || random.chance(0.5),
  );
  return random.pick(leading)?.name ?? '__typename';
}

export const randomArguments = (
  field: GraphQLField<unknown, unknown> | undefined,
  random: Random,
): Record<string, Value> => randomInputs(field?.args ?? [], random);

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
    attachments: list(randomValue(random), random.chance(0.5) ? 0 : randomCount(random)),
    reactions: list(
      {
        kind: 'object',
        of: list(text('u', 1, random.chance(0.8)), randomCount(random)),
        keys: Math.min(100_000, randomCount(random)),
        keyLength: 1,
      },
      random.chance(0.7) ? 0 : random.pick([1, randomCount(random)]),
    ),
    oddField: random.pick(ODD_FIELDS),
    odd: randomValue(random),
    drift: random.chance(0.8) ? 0 : Math.min(5000, randomCount(random)),
    delay: random.chance(0.9) ? 0 : random.below(200),
    pace: random.chance(0.85) ? 'whole' : random.pick(['in parts', 'byte by byte']),
  };
}

/** A request that has no parents. */
export function randomGenome(schema: GraphQLSchema, random: Random): Genome {
  const type = random.chance(0.75) ? 'query' : 'mutation';
  const root = schema.getRootType(type as never) ?? null;
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
    ...ALONE,
    extensions: null,
    transport: { ...PLAIN_TRANSPORT, token: random.chance(0.8) ? 'a token' : 'none' },
    service: randomService(random),
  };
}
