import fc from 'fast-check';
import { nodeIdOf } from '../oracle/node-id.ts';
import type { ListKey, World } from '../oracle/world.ts';

/** The arguments of one field, by name. */
export type GivenArguments = Readonly<Record<string, unknown>>;

/** Makes arguments; `isNested`: below another list, where pages must be short. */
export type MakeArguments = (isNested: boolean) => fc.Arbitrary<GivenArguments>;

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

/** Arguments of every field of the schema's queries that has some, by `Type.field`, mostly of things that exist. */
export function createArguments(world: World): Readonly<Record<string, MakeArguments>> {
  const messageId = idOf(world.messages.map(({ id }) => id));
  const conversationId = idOf(world.conversations.map(({ id }) => id));
  const groups = world.conversations.map(({ group_id }) => group_id);
  const groupId = idOf(groups.filter((id) => typeof id === 'string'));
  const nodeId = fc.oneof(
    { arbitrary: messageId.map((id) => nodeIdOf('Message', id)), weight: 4 },
    { arbitrary: conversationId.map((id) => nodeIdOf('Conversation', id)), weight: 4 },
    fc.constantFrom(nodeIdOf('Contact', 'u1'), `${nodeIdOf('Message', 'm1')}=`, '', '5'),
    fc.string(),
  );
  const page = createPages(world);
  const flag = fc.constantFrom(undefined, undefined, true, false, null);
  const conversations = fc.record({
    muted: flag,
    archived: flag,
    pinned: flag,
    groupId: fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, groupId),
  });

  return {
    'Query.message': () => fc.record({ id: messageId }),
    'Query.conversation': () => fc.record({ id: conversationId }),
    'Query.node': () => fc.record({ nodeId }),
    'Query.nodes': () =>
      fc.record({
        nodeIds: fc.oneof(
          { arbitrary: fc.array(nodeId, { maxLength: 5 }), weight: 4 },
          // A single value stands for a list of one.
          nodeId,
        ),
      }),
    'Query.messages': (isNested) => {
      const wanted = fc.oneof(conversationId, fc.constantFrom(undefined, null));
      return fc.record({ conversationId: wanted, page: page(isNested) }).map(join);
    },
    'Query.conversations': (isNested) =>
      fc
        .record({ conversations, page: page(isNested) })
        .map(({ conversations, page }) => ({
          ...conversations,
          ...page,
        })),
    'Conversation.messages': page,
    // A cursor of the very list, which would hardly be met by chance.
    'Query.messages beside': (isNested) => beside(world, page(isNested), MESSAGES),
    'Query.conversations beside': (isNested) =>
      beside(world, page(isNested), CONVERSATIONS),
  };
}

const MESSAGES = 'messages';
const CONVERSATIONS = 'conversations';

const join = ({ conversationId, page }: { conversationId: unknown; page: object }) => ({
  conversationId,
  ...page,
});

/** Mostly ids that exist. */
export const idOf = (ids: readonly string[]): fc.Arbitrary<string | number> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...ids.slice(0, 1), ...ids), weight: 12 },
    { arbitrary: fc.constantFrom(...ODD_IDS), weight: 2 },
    { arbitrary: fc.constantFrom(...BAD_IDS), weight: 2 },
    { arbitrary: fc.string({ maxLength: 12, unit: 'binary' }), weight: 1 },
  );

function createPages(world: World): MakeArguments {
  const cursors = [...world.places.keys()];
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

/** A page of a list beside one of its own items. */
function beside(
  world: World,
  page: fc.Arbitrary<GivenArguments>,
  kind: string,
): fc.Arbitrary<GivenArguments> {
  const places = [...world.places].filter(([, { list }]) =>
    list.startsWith(`["${kind}"`),
  );
  return fc
    .record({ at: fc.constantFrom(...places), page, back: fc.boolean() })
    .map(({ at: [cursor, { list }], page, back }) => {
      const size = page.first ?? page.last ?? null;
      const window = back
        ? { last: size, before: cursor }
        : { first: size, after: cursor };
      return { ...filtersOf(list), ...window };
    });
}

/** The arguments that name a list. */
export function filtersOf(list: ListKey): GivenArguments {
  const [kind, ...filters] = JSON.parse(list);
  if (kind === MESSAGES) return { conversationId: filters[0] };
  const [muted, archived, pinned, groupId] = filters;
  return { muted, archived, pinned, groupId };
}
