import fc from 'fast-check';
import { type Item, type ListKey, nodeIdOf, type World } from '../oracle/world.ts';

/** The arguments of one field, by name. */
export type GivenArguments = Readonly<Record<string, unknown>>;

/** Makes arguments. `isNested`: the field is below another list, where pages must be short. */
type MakeArguments = (isNested: boolean) => fc.Arbitrary<GivenArguments>;

/** The ways to make a field's arguments, by `Type.field`. */
export type ArgumentMakers = Readonly<Record<string, readonly MakeArguments[]>>;

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
  // Half of them have reactions, which few messages have.
  const hasReactions = ({ reactions }: Item) => (reactions as unknown[]).length > 0;
  const messageId = fc.oneof(
    idOf(world.messages.map(({ id }) => id)),
    idOf(world.messages.filter(hasReactions).map(({ id }) => id)),
  );
  const conversationId = idOf(world.conversations.map(({ id }) => id));
  const groups = world.conversations.map(({ group_id }) => group_id);
  const groupId = idOf(groups.filter((id) => typeof id === 'string'));
  const nodeId = fc.oneof(
    { arbitrary: messageId.map((id) => nodeIdOf('Message', id)), weight: 4 },
    { arbitrary: conversationId.map((id) => nodeIdOf('Conversation', id)), weight: 4 },
    fc.constantFrom(nodeIdOf('Contact', 'u1'), `${nodeIdOf('Message', 'm1')}=`, '', '5'),
    fc.string(),
  );
  const nodeIds = fc.oneof(
    { arbitrary: fc.array(nodeId, { maxLength: 5 }), weight: 4 },
    // GraphQL reads a single value as a list of one.
    nodeId,
  );
  const page = createPages(world);
  const wanted = fc.oneof(conversationId, fc.constantFrom(undefined, null));
  const flag = fc.constantFrom(undefined, undefined, true, false, null);
  const filters = fc.record({
    muted: flag,
    archived: flag,
    pinned: flag,
    groupId: fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, groupId),
  });

  return {
    'Query.message': [() => fc.record({ id: messageId })],
    'Query.conversation': [() => fc.record({ id: conversationId })],
    'Query.node': [() => fc.record({ nodeId })],
    'Query.nodes': [() => fc.record({ nodeIds })],
    'Query.messages': [
      (isNested) =>
        fc
          .record({ conversationId: wanted, page: page(isNested) })
          .map(({ conversationId, page }) => ({ conversationId, ...page })),
      (isNested) => atOwnCursor(world, page(isNested), 'messages'),
    ],
    'Query.conversations': [
      (isNested) =>
        fc
          .record({ filters, page: page(isNested) })
          .map(({ filters, page }) => ({ ...filters, ...page })),
      (isNested) => atOwnCursor(world, page(isNested), 'conversations'),
    ],
    'Conversation.messages': [page],
  };
}

/** Mostly ids that exist. */
export const idOf = (ids: readonly string[]): fc.Arbitrary<string | number> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...ids.slice(0, 1), ...ids), weight: 12 },
    { arbitrary: fc.constantFrom(...ODD_IDS), weight: 2 },
    { arbitrary: fc.constantFrom(...BAD_IDS), weight: 2 },
    { arbitrary: fc.string({ maxLength: 12, unit: 'binary' }), weight: 1 },
  );

function createPages(world: World): MakeArguments {
  const cursors = [...world.cursors.keys()];
  const cursor = fc.oneof(
    { arbitrary: fc.constantFrom(...cursors), weight: 8 },
    fc.constantFrom('', 'x', `${cursors[0]}A`, (cursors[0] ?? '').toUpperCase()),
    fc.string(),
  );
  const wrong = fc.constantFrom(0, -1, 101, 2_147_483_647);
  return (isNested) => {
    const size = isNested ? fc.integer({ min: 1, max: 3 }) : pageSize;
    const maybe = fc.oneof(
      { arbitrary: fc.constantFrom(undefined, null), weight: 2 },
      cursor,
    );
    return fc.oneof(
      { arbitrary: fc.record({ first: size }), weight: 8 },
      { arbitrary: fc.record({ first: size, after: maybe }), weight: 3 },
      { arbitrary: fc.record({ last: size, before: maybe }), weight: 4 },
      { arbitrary: fc.record({ first: wrong }), weight: 1 },
      { arbitrary: fc.record({ last: wrong, before: maybe }), weight: 1 },
      { arbitrary: fc.record({ first: size, last: size }), weight: 1 },
      { arbitrary: fc.record({ first: size, before: cursor }), weight: 1 },
      { arbitrary: fc.record({ last: size, after: cursor }), weight: 1 },
      { arbitrary: fc.record({ after: cursor, before: cursor }), weight: 1 },
      { arbitrary: fc.record({ first: fc.constant(null) }), weight: 1 },
      { arbitrary: fc.constant({}), weight: 1 },
    );
  };
}

const pageSize = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 12 }), weight: 12 },
  { arbitrary: fc.constantFrom(99, 100), weight: 1 },
);

/** A page after or before one of the list's own cursors, a combination that chance alone hardly makes. */
function atOwnCursor(
  world: World,
  page: fc.Arbitrary<GivenArguments>,
  kind: string,
): fc.Arbitrary<GivenArguments> {
  const own = [...world.cursors].filter(([, { list }]) => list.startsWith(`["${kind}"`));
  return fc
    .record({ at: fc.constantFrom(...own), page, back: fc.boolean() })
    .map(({ at: [cursor, { list }], page, back }) => {
      const size = page.first ?? page.last ?? null;
      const window = back
        ? { last: size, before: cursor }
        : { first: size, after: cursor };
      return { ...filtersOf(list), ...window };
    });
}

/** The arguments that select a list. */
export function filtersOf(list: ListKey): GivenArguments {
  const [kind, ...filters] = JSON.parse(list);
  if (kind === 'messages') return { conversationId: filters[0] };
  const [muted, archived, pinned, groupId] = filters;
  return { muted, archived, pinned, groupId };
}
