import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { schema } from '../oracle/schema.ts';
import type { ArgumentMakers } from './arguments.ts';
import { oneOf } from './one-of.ts';
import {
  type ChosenArguments,
  type Condition,
  NO_ARGUMENTS,
  type Selection,
  type Style,
} from './selection.ts';

/** How many more levels, and how many more lists inside lists, a selection may have. */
interface Room {
  readonly depth: number;
  readonly lists: number;
}

const WHOLE: Room = { depth: 9, lists: 2 };
/** The most selections in one set. */
const BREADTH = 4;
/** Ordinary names in GraphQL that careless JavaScript treats specially. */
const ALIASES = ['a', 'b', '__proto__', 'constructor', 'then', 'toJSON', 'length'];

export interface SelectionOptions {
  readonly argumentsOf: ArgumentMakers;
  /** Default: nine levels, two lists. */
  readonly room?: Room;
  /** The most selections of the root. Default: four, as in every other set. */
  readonly breadth?: number;
  /** How much likelier an object is than a scalar. Default: 1; high values make very large operations. */
  readonly depthFirst?: number;
}

/** Random selections of a root type, over every field below it. */
export function arbitrarySelections(
  root: GraphQLNamedType,
  {
    argumentsOf,
    room: whole = WHOLE,
    breadth = BREADTH,
    depthFirst = 1,
  }: SelectionOptions,
): fc.Arbitrary<Selection[]> {
  const made = new Map<string, fc.Arbitrary<Selection[]>>();

  function selections(type: GraphQLNamedType, room: Room): fc.Arbitrary<Selection[]> {
    const key = `${type.name} ${room.depth} ${room.lists}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = severalOf(choices(type, room), BREADTH);
    made.set(key, fresh);
    return fresh;
  }

  /** `__typename`, every field for which there is room, and fragments. */
  function choices(
    type: GraphQLNamedType,
    room: Room,
  ): fc.WeightedArbitrary<Selection>[] {
    const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
    const found: fc.WeightedArbitrary<Selection>[] = [
      {
        weight: 1,
        arbitrary: toField(TYPENAME, fc.constant(NO_ARGUMENTS), fc.constant(null)),
      },
    ];
    for (const field of Object.values(fields)) {
      const inner = roomIn(field, room);
      if (inner === null) continue;
      const args = argumentsFor(type, field, room);
      const below = getNamedType(field.type);
      const isDeep = isCompositeType(below);
      const children = isDeep ? selections(below, inner) : fc.constant(null);
      const weight = isDeep ? 3 * depthFirst : 3;
      found.push({ weight, arbitrary: toField(field, args, children) });
    }
    if (room.depth > 1) found.push(...fragments(type, room));
    return found;
  }

  function fragments(
    type: GraphQLNamedType,
    room: Room,
  ): fc.WeightedArbitrary<Selection>[] {
    const inner = { ...room, depth: room.depth - 1 };
    const ons: readonly GraphQLNamedType[] = fragmentTypes(type);
    return ons.map((on) => ({
      weight: ons.length > 1 ? 3 : 1,
      arbitrary: fc.record({
        kind: fc.constant('fragment' as const),
        on: on === type ? fc.constantFrom(null, on.name) : fc.constant(on.name),
        spreads: fc.nat({ max: 2 }),
        conditions,
        children: selections(on, inner),
      }),
    }));
  }

  function argumentsFor(
    type: GraphQLNamedType,
    field: GraphQLField<unknown, unknown>,
    { lists }: Room,
  ): fc.Arbitrary<ChosenArguments> {
    if (field.args.length === 0) return fc.constant(NO_ARGUMENTS);
    const make = argumentsOf[`${type.name}.${field.name}`];
    if (make === undefined)
      throw new Error(`${type.name}.${field.name} has no maker of its arguments`);
    return fc.record({
      definitions: fc.constant(field.args),
      given: make(lists < WHOLE.lists),
      styles: styleSequence,
    });
  }

  return severalOf(choices(root, whole), breadth);
}

const severalOf = (choices: fc.WeightedArbitrary<Selection>[], maxLength: number) =>
  fc.array(fc.oneof(...choices), { minLength: 1, maxLength });

/** The room below a field; null if there is none for it. */
function roomIn(field: GraphQLField<unknown, unknown>, room: Room): Room | null {
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return room;
  const isList = type.name.endsWith('Connection') || field.name === 'nodes';
  const isPage = isList && field.args.length > 0;
  const inner = { depth: room.depth - 1, lists: room.lists - (isPage ? 1 : 0) };
  return inner.depth < 1 || inner.lists < 0 ? null : inner;
}

/** The types that a fragment on this one can have: itself, its possible types, or its interfaces. */
function fragmentTypes(type: GraphQLNamedType): GraphQLNamedType[] {
  if (isInterfaceType(type)) return [type, ...schema.getPossibleTypes(type)];
  return isObjectType(type) ? [type, ...type.getInterfaces()] : [type];
}

const STYLES: readonly Style[] = ['literal', 'variable', 'default'];
const LENGTH = 13;

/** Made of one number, which shrinks to all literals at once. */
const styleSequence: fc.Arbitrary<readonly Style[]> = fc
  .noBias(fc.nat({ max: STYLES.length ** LENGTH - 1 }))
  .map((number) =>
    Array.from(
      { length: LENGTH },
      (_, place) =>
        STYLES[Math.floor(number / STYLES.length ** place) % STYLES.length] ?? 'literal',
    ),
  );

const conditions: fc.Arbitrary<readonly Condition[]> = oneOf(
  [6, fc.constant([])],
  [
    1,
    fc.uniqueArray(
      fc.record({
        directive: fc.constantFrom('skip' as const, 'include' as const),
        value: fc.boolean(),
        style: fc.constantFrom(...STYLES),
      }),
      { selector: ({ directive }) => directive, minLength: 1, maxLength: 2 },
    ),
  ],
);

const TYPENAME = { name: '__typename', type: 'String!' };

const toField = (
  { name, type }: { readonly name: string; readonly type: unknown },
  args: fc.Arbitrary<ChosenArguments>,
  children: fc.Arbitrary<readonly Selection[] | null>,
): fc.Arbitrary<Selection> =>
  fc.record({
    kind: fc.constant('field' as const),
    field: fc.constant(name),
    type: fc.constant(String(type)),
    alias: oneOf([3, fc.constant(null)], [1, fc.constantFrom(...ALIASES)]),
    args,
    conditions,
    children,
  });
