import fc from 'fast-check';
import { nodeIdOf } from '../../support/wire.ts';
import { KINDS, type Kind, LISTED } from '../oracle/lists.ts';
import { idsFor, readKey, type World } from '../oracle/world.ts';
import { oneOf } from './one-of.ts';

/** The arguments of one field, by name. */
type GivenArguments = Readonly<Record<string, unknown>>;

/** Makes arguments. `isNested`: the field is below another list, where pages must be short. */
type MakeArguments = (isNested: boolean) => fc.Arbitrary<GivenArguments>;

/** By `Type.field`. */
export type ArgumentMakers = Readonly<Record<string, MakeArguments>>;

const BAD_IDS = ['', '.', '..', 'a\u0000b', '\u009f', '\ud800', 'x'.repeat(1025)];
const ODD_IDS = [
  'nobody',
  'a/b',
  '../conversations',
  '%2e%2e',
  'a?limit=1&b#c',
  'ä'.repeat(512),
  '💬',
  0,
  -7,
];

/** Makes arguments for every query field that takes some, mostly of objects that exist. */
export function createArguments(world: World): ArgumentMakers {
  const page = createPages(world);
  const idsOf = (kind: Kind) => {
    const { isSpecial = () => true } = LISTED[kind];
    return fc.oneof(
      idOf(world[kind].map(({ id }) => id)),
      idOf(world[kind].filter(isSpecial).map(({ id }) => id)),
    );
  };
  const nodeId = oneOf(
    [
      8,
      fc.oneof(
        ...KINDS.map((kind) => idsOf(kind).map((id) => nodeIdOf(LISTED[kind].type, id))),
      ),
    ],
    [
      1,
      fc.constantFrom(
        nodeIdOf('Contact', 'u1'),
        `${nodeIdOf('Message', 'm1')}=`,
        '',
        '5',
      ),
    ],
    [1, fc.string()],
  );
  const nodeIds = oneOf(
    [4, fc.array(nodeId, { maxLength: 5 })], // GraphQL reads a single value as a list of one.
    [1, nodeId],
  );
  const makers: Record<string, MakeArguments> = {
    'Query.node': () => fc.record({ nodeId }),
    'Query.nodes': () => fc.record({ nodeIds }),
    'Conversation.unreadCount': () => fc.record({ atMost: count }),
  };
  for (const kind of KINDS) {
    const { type, single, lists, hasOrder } = LISTED[kind];
    const filters = filtersFor(world, kind);
    const ordered = hasOrder ? inOrder(page) : page;
    makers[`Query.${single}`] = () => fc.record({ id: idsOf(kind) });
    makers[`Query.${kind}`] = (isNested) =>
      fc.oneof(
        fc
          .record({ filters, page: ordered(isNested) })
          .map(({ filters, page }) => ({ ...filters, ...page })),
        atOwnCursor(world, ordered(isNested), kind),
      );
    for (const [name, [of]] of Object.entries(lists))
      makers[`${type}.${name}`] = LISTED[of].hasOrder ? inOrder(page) : page;
  }
  return makers;
}

/** Sometimes the newest first. */
const inOrder =
  (page: MakeArguments): MakeArguments =>
  (isNested) =>
    fc
      .tuple(page(isNested), oneOf([2, fc.constant({})], [1, fc.record({ order })]))
      .map(([page, order]) => ({ ...page, ...order }));

const order = fc.constantFrom('NEWEST_FIRST', 'NEWEST_FIRST', 'AS_LISTED', null);

const flag = fc.constantFrom(undefined, undefined, true, false, null);

/** Many filters together leave nothing, so most are left out. */
function filtersFor(world: World, kind: Kind): fc.Arbitrary<GivenArguments> {
  const filters = Object.entries(LISTED[kind].filters).map(([name, filter]) => [
    name,
    'keeps' in filter
      ? flag
      : oneOf(
          [2, fc.constantFrom(undefined, null)],
          [1, idOf(idsFor(world, kind, filter))],
        ),
  ]);
  return fc.record(Object.fromEntries(filters));
}

/** Mostly ids that exist. */
export const idOf = (ids: readonly string[]): fc.Arbitrary<string | number> =>
  oneOf(
    [12, fc.constantFrom(...ids.slice(0, 1), ...ids)],
    [2, fc.constantFrom(...ODD_IDS)],
    [2, fc.constantFrom(...BAD_IDS)],
    [1, fc.string({ maxLength: 12, unit: 'binary' })],
  );

function createPages(world: World): MakeArguments {
  const cursors = [...world.cursors.keys()];
  const cursor = oneOf(
    [8, fc.constantFrom(...cursors)],
    [1, fc.constantFrom('', 'x', `${cursors[0]}A`, (cursors[0] ?? '').toUpperCase())],
    [1, fc.string()],
  );
  const wrong = fc.constantFrom(0, -1, 101, 2_147_483_647);
  return (isNested) => {
    const size = isNested ? fc.integer({ min: 1, max: 3 }) : pageSize;
    const maybe = oneOf([2, fc.constantFrom(undefined, null)], [1, cursor]);
    return oneOf(
      [8, fc.record({ first: size })],
      [3, fc.record({ first: size, after: maybe })],
      [4, fc.record({ last: size, before: maybe })],
      [1, fc.record({ first: wrong })],
      [1, fc.record({ last: wrong, before: maybe })],
      [1, fc.record({ first: size, last: size })],
      [1, fc.record({ first: size, before: cursor })],
      [1, fc.record({ last: size, after: cursor })],
      [1, fc.record({ after: cursor, before: cursor })],
      [1, fc.record({ first: fc.constant(null) })],
      [1, fc.constant({})],
    );
  };
}

const count = oneOf(
  [4, fc.constantFrom(undefined, null)],
  [4, fc.integer({ min: 1, max: 30 })],
  [1, fc.constantFrom(0, -1, 101)],
);

const pageSize = oneOf(
  [12, fc.integer({ min: 1, max: 12 })],
  [1, fc.constantFrom(99, 100)],
);

/** A page after or before one of the list's own cursors, a combination that chance alone hardly makes. */
function atOwnCursor(
  world: World,
  page: fc.Arbitrary<GivenArguments>,
  kind: Kind,
): fc.Arbitrary<GivenArguments> {
  const own = [...world.cursors].filter(([, { list }]) => readKey(list)[0] === kind);
  return fc
    .record({ at: fc.constantFrom(...own), page, back: fc.boolean() })
    .map(({ at: [cursor, { list }], page, back }) => {
      const size = page.first ?? page.last ?? null;
      const window = back
        ? { last: size, before: cursor }
        : { first: size, after: cursor };
      return {
        ...readKey(list)[1],
        ...window,
        ...('order' in page && { order: page.order }),
      };
    });
}
