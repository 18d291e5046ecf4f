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
import type { Random } from '../../../src/embedded/sample/random.ts';
import { typeBelow } from '../genome/document.ts';
import type { Selection, Value } from '../genome/genome.ts';
import { select } from '../genome/plain.ts';
import { randomInput } from './random-value.ts';

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
