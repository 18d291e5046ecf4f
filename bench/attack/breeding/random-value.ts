import {
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import type { Random } from '../../../src/embedded/sample/random.ts';
import type { Value } from '../genome/genome.ts';
import { list, raw, text } from '../genome/value.ts';

export const RAW = [
  '1',
  '0',
  '-1',
  '100',
  'null',
  'true',
  'false',
  '""',
  '[]',
  '{}',
  '123456789012345678901',
  '9007199254740993',
  '1e-400',
  '1e400',
  '0.10',
  '-0',
  '1.5',
  '"x1"',
  'junk',
] as const;
export const PARTS = [
  'x',
  '漢',
  '\u0000',
  '\\',
  '"',
  '%',
  '%41',
  'é',
  '😀',
  ' ',
  '\n',
  '[',
  '../',
  'eHg6',
  '1,',
] as const;
/** Powers, so that small and large counts are equally likely. */
const MAX_EXPONENT = 20;

/** A count up to a million. */
export const randomCount = (random: Random): number =>
  Math.floor(2 ** (random.below(MAX_EXPONENT * 8) / 8));

/** Any value of JSON. */
export function randomValue(random: Random, levels = 3): Value {
  const of = () => randomValue(random, levels - 1);
  const kind = random.below(levels > 0 ? 8 : 3);
  if (kind === 0) return raw(random.pick(RAW));
  if (kind < 3) return text(random.pick(PARTS), randomCount(random), random.chance(0.3));
  if (kind < 5) return list(of(), randomCount(random));
  if (kind === 5) {
    const keyLength = random.chance(0.7) ? 1 : randomCount(random);
    const firstKey = random.chance(0.2) ? { firstKey: 10 ** random.below(11) } : {};
    return {
      kind: 'object',
      of: of(),
      keys: randomCount(random),
      keyLength,
      ...firstKey,
    };
  }
  if (kind === 6) {
    const inside = random.pick(['list', 'object'] as const);
    return { kind: 'nested', of: of(), inside, depth: randomCount(random) };
  }
  return { kind: 'fields', fields: { a: of(), b: of() } };
}

/** A value for an argument or a field of an input. Most are valid. */
export function randomInput(type: GraphQLInputType, name: string, random: Random): Value {
  if (random.chance(0.03)) return randomValue(random, 1);
  if (isNonNullType(type)) return randomInput(type.ofType, name, random);
  if (isListType(type)) {
    return list(randomInput(type.ofType, name, random), randomCount(random));
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) || random.chance(0.5),
    );
    return {
      kind: 'fields',
      fields: Object.fromEntries(
        fields.map((field) => [field.name, randomInput(field.type, field.name, random)]),
      ),
    };
  }
  if (isScalarType(type) && type.name === 'ID') return randomId(name, random);
  if (isScalarType(type) && type.name === 'JSON') return randomValue(random);
  if (isScalarType(type) && type.name === '_Any') return randomRepresentation(random);
  if (isScalarType(type) && type.name === 'Boolean')
    return raw(random.pick(['true', 'false']));
  if (name === 'after' || name === 'before') return randomCursor(random);
  if (isScalarType(type) && type.name === 'String') {
    return text(random.pick(PARTS), randomCount(random), random.chance(0.5));
  }
  return raw(random.pick(['100', '100', '10', '1', '0', '-1', '5000']));
}

function randomId(name: string, random: Random): Value {
  const distinct = random.chance(0.5);
  if (name.startsWith('nodeId') && random.chance(0.8)) {
    return {
      kind: 'nodeId',
      type: random.pick(['Message', 'Conversation', 'Contact']),
      distinct,
    };
  }
  return random.chance(0.7)
    ? text('x', 1, distinct)
    : text(random.pick(PARTS), randomCount(random), distinct);
}

/** What a federation gateway names an object by. */
const randomRepresentation = (random: Random): Value => ({
  kind: 'fields',
  fields: {
    __typename: raw(random.pick(['"Message"', '"Conversation"', '"Contact"', '"Query"'])),
    id: randomId('id', random),
  },
});

const randomCursor = (random: Random): Value =>
  random.chance(0.6)
    ? {
        kind: 'cursor',
        position: random.pick([0, 1, 99, 5000, 99_900, 999_999_999]),
        list: random.pick([
          '/v1/messages',
          '/v1/conversations',
          '/v1/messages?conversation_id=x1',
        ]),
      }
    : text(random.pick(PARTS), randomCount(random));
