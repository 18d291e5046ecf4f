import type { TestGateway } from '../../support/gateway.ts';
import { filtersOf } from '../arbitrary/arguments.ts';
import {
  conversationsBy,
  itemsOf,
  type ListKey,
  messagesOf,
  type World,
} from './world.ts';

/** Items at either end of a list whose cursors are learnt. */
const LEARNT = 15;

/** Reads both ends of lists and remembers where their cursors lie; throws if they are not the lists of the world. */
export async function learnCursors(
  world: World,
  gateway: TestGateway,
  token: string,
  lists: readonly ListKey[] = someLists(world),
): Promise<void> {
  for (const list of lists) {
    for (const end of ['first', 'last'] as const) {
      const edges = await readEnd(list, end, (query) => gateway.ask(query, { token }));
      const items = itemsOf(world, list) ?? [];
      const due = end === 'first' ? items.slice(0, LEARNT) : items.slice(-LEARNT);
      const seen = edges.map(({ node }) => node.id);
      if (seen.join() !== due.map(({ id }) => id).join()) {
        throw new Error(
          `${end} of ${list}: ${seen} instead of ${due.map(({ id }) => id)}`,
        );
      }
      for (const { cursor, node } of edges)
        world.places.set(cursor, { list, id: node.id });
    }
  }
}

/** Of every kind. */
function someLists({ conversations }: World): ListKey[] {
  const [lisbon, second] = conversations;
  const group = conversations.find(({ group_id }) => group_id !== null);
  return [
    messagesOf(null),
    messagesOf(lisbon?.id),
    messagesOf(second?.id),
    conversationsBy({}),
    conversationsBy({ muted: true }),
    conversationsBy({ groupId: group?.group_id }),
  ];
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
    `{ list: ${field}(${filters} ${end}: ${LEARNT}) { edges { cursor node { id } } } }`,
  );
  return data.list.edges;
}
