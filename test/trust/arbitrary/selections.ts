import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { how, hows, toArguments } from './argument-ways.ts';
import type { MakeArguments } from './arguments.ts';
import type { Argument, Condition, Selection } from './selection.ts';

/** How deep, and how many lists within lists, may follow. */
interface Room {
  readonly depth: number;
  readonly lists: number;
}

const WHOLE: Room = { depth: 9, lists: 2 };
/** Selections beside one another. */
const BREADTH = 4;
/** Names that are not special, though they look so to careless code. */
const ALIASES = ['a', 'b', '__proto__', 'constructor', 'then', 'toJSON', 'length'];

export interface SelectionOptions {
  /** Makes the arguments, by `Type.field`. */
  readonly argumentsOf: Readonly<Record<string, MakeArguments>>;
  /** Default: nine levels, two lists. */
  readonly room?: Room;
  /** How many selections the root may have. Default: four, as everywhere below. */
  readonly breadth?: number;
  /** How many times as often as a value an object or a list is asked for. Default: once; many make endless operations. */
  readonly depthFirst?: number;
}

/** Random selections of a root type, over everything the schema has below it. */
export function arbitrarySelections(
  schema: GraphQLSchema,
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

  /** `__typename`, every field there is room for, and fragments. */
  function choices(
    type: GraphQLNamedType,
    room: Room,
  ): fc.WeightedArbitrary<Selection>[] {
    const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
    const found: fc.WeightedArbitrary<Selection>[] = [
      { weight: 1, arbitrary: toField('__typename', fc.constant([]), fc.constant(null)) },
    ];
    for (const field of Object.values(fields)) {
      const inner = roomIn(field, room);
      if (inner === null) continue;
      for (const args of waysToAsk(type, field, room)) {
        const below = getNamedType(field.type);
        const isDeep = isCompositeType(below);
        const children = isDeep ? selections(below, inner) : fc.constant(null);
        const weight = isDeep ? 3 * depthFirst : 3;
        found.push({ weight, arbitrary: toField(field.name, args, children) });
      }
    }
    if (room.depth > 1) found.push(...fragments(type, room));
    return found;
  }

  function fragments(
    type: GraphQLNamedType,
    room: Room,
  ): fc.WeightedArbitrary<Selection>[] {
    const inner = { ...room, depth: room.depth - 1 };
    const ons: readonly GraphQLNamedType[] = typesWithin(schema, type);
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

  /** The arguments of a field, in each of the ways there is a table for. */
  function waysToAsk(
    type: GraphQLNamedType,
    field: GraphQLField<unknown, unknown>,
    { lists }: Room,
  ): fc.Arbitrary<readonly Argument[]>[] {
    if (field.args.length === 0) return [fc.constant([])];
    const name = `${type.name}.${field.name}`;
    const makers = [argumentsOf[name], argumentsOf[`${name} beside`]];
    if (makers[0] === undefined) throw new Error(`nobody makes arguments of ${name}`);
    return makers
      .filter((make) => make !== undefined)
      .map((make) =>
        fc
          .tuple(make(lists < WHOLE.lists), hows)
          .map(([given, ways]) => toArguments(field.args, given, ways)),
      );
  }

  return severalOf(choices(root, whole), breadth);
}

const severalOf = (choices: fc.WeightedArbitrary<Selection>[], maxLength: number) =>
  fc.array(fc.oneof(...choices), { minLength: 1, maxLength });

/** What is left below a field; null if it does not fit. */
function roomIn(field: GraphQLField<unknown, unknown>, room: Room): Room | null {
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return room;
  const isList = type.name.endsWith('Connection') || field.name === 'nodes';
  const isPage = isList && field.args.length > 0;
  const inner = { depth: room.depth - 1, lists: room.lists - (isPage ? 1 : 0) };
  return inner.depth < 1 || inner.lists < 0 ? null : inner;
}

/** The type itself, and what a fragment on it can narrow it to, or widen. */
function typesWithin(schema: GraphQLSchema, type: GraphQLNamedType): GraphQLNamedType[] {
  if (isInterfaceType(type)) return [type, ...schema.getPossibleTypes(type)];
  return isObjectType(type) ? [type, ...type.getInterfaces()] : [type];
}

const conditions: fc.Arbitrary<readonly Condition[]> = fc.oneof(
  { arbitrary: fc.constant([]), weight: 6 },
  fc.uniqueArray(
    fc.record({
      directive: fc.constantFrom('skip' as const, 'include' as const),
      value: fc.boolean(),
      how,
    }),
    { selector: ({ directive }) => directive, minLength: 1, maxLength: 2 },
  ),
);

const toField = (
  field: string,
  args: fc.Arbitrary<readonly Argument[]>,
  children: fc.Arbitrary<readonly Selection[] | null>,
): fc.Arbitrary<Selection> =>
  fc.record({
    kind: fc.constant('field' as const),
    field: fc.constant(field),
    alias: fc.oneof(
      { arbitrary: fc.constant(null), weight: 3 },
      fc.constantFrom(...ALIASES),
    ),
    args,
    conditions,
    children,
  });
