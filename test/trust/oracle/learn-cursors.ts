import type { TestGateway } from '../../support/gateway.ts';
import { filtersOf } from '../arbitrary/arguments.ts';
import {
  conversationsBy,
  itemsOf,
  type ListKey,
  messagesOf,
  readWorld,
  type World,
} from './world.ts';

/** How many cursors to learn at each end of a list. */
const LEARNED = 15;

/** Reads the world of a user, with cursors of lists of every kind. */
export async function learnWorld(
  serviceUrl: string,
  gateway: TestGateway,
  token: string,
): Promise<World> {
  const world = await readWorld(serviceUrl, token);
  const [longest, second] = world.conversations;
  const group = world.conversations.find(({ group_id }) => group_id !== null);
  await learnCursors(world, gateway, token, [
    messagesOf(null),
    messagesOf(longest?.id),
    messagesOf(second?.id),
    conversationsBy({}),
    conversationsBy({ muted: true }),
    conversationsBy({ groupId: group?.group_id }),
  ]);
  return world;
}

/** Reads both ends of each list and adds their cursors to the world. Throws if an end differs from the world. */
export async function learnCursors(
  world: World,
  gateway: TestGateway,
  token: string,
  lists: readonly ListKey[],
): Promise<void> {
  for (const list of lists) {
    for (const end of ['first', 'last'] as const) {
      const edges = await readEnd(list, end, (query) => gateway.ask(query, { token }));
      const items = itemsOf(world, list) ?? [];
      const expected = end === 'first' ? items.slice(0, LEARNED) : items.slice(-LEARNED);
      const ids = expected.map(({ id }) => id).join();
      const actual = edges.map(({ node }) => node.id).join();
      if (actual !== ids) throw new Error(`${end} of ${list}: ${actual} is not ${ids}`);
      for (const { cursor, node } of edges) {
        world.cursors.set(cursor, { list, id: node.id });
      }
    }
  }
}

interface Edge {
  readonly cursor: string;
  readonly node: { readonly id: string };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Ask = (query: string) => Promise<{ data: any }>;

async function readEnd(list: ListKey, end: string, ask: Ask): Promise<Edge[]> {
  const field = list.startsWith('["messages"') ? 'messages' : 'conversations';
  const filters = Object.entries(filtersOf(list))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(' ');
  const { data } = await ask(
    `{ list: ${field}(${filters} ${end}: ${LEARNED}) { edges { cursor node { id } } } }`,
  );
  return data.list.edges;
}
