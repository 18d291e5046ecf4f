import type { Answers } from '../../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../../src/embedded/service.ts';
import type { Environment } from '../../../src/gateway.ts';
import {
  type GraphqlAnswer,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway.ts';
import { type Filter, KINDS, type Kind, LISTED } from './lists.ts';
import {
  idsFor,
  itemsOf,
  type ListKey,
  listOf,
  readKey,
  readWorld,
  type World,
} from './world.ts';

/** How many cursors to learn at each end of a list. */
const LEARNED = 15;

export interface System extends AsyncDisposable {
  readonly gateway: TestGateway;
  /** The token of a sample user. */
  readonly token: string;
  readonly viewer: string;
  /** That user's data, with cursors of lists of every kind. */
  readonly world: World;
}

/** Starts an embedded service with a gateway, and reads the world. */
export async function startSystem(
  env: Environment = {},
  answers: Partial<Answers> = {},
): Promise<System> {
  const service = await startEmbeddedService({ answers });
  const gateway = await startTestGateway(service.url, env);
  const { token = '', username: viewer = '' } = service.sampleUsers[0] ?? {};
  const world = await readWorld(service.url, token);
  await learnCursors(world, gateway, token, someLists(world));
  return {
    gateway,
    token,
    viewer,
    world,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await service.close();
    },
  };
}

/** Of each kind: the whole list, and for each filter one list or two. */
const someLists = (world: World): ListKey[] =>
  KINDS.flatMap((kind) => [
    listOf(kind, {}),
    ...Object.entries(LISTED[kind].filters).flatMap(([name, filter]) =>
      someValues(world, kind, filter).map((value) => listOf(kind, { [name]: value })),
    ),
  ]);

const someValues = (world: World, kind: Kind, filter: Filter): readonly unknown[] =>
  'keeps' in filter ? [true] : idsFor(world, kind, filter).slice(0, 2);

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

async function readEnd(
  list: ListKey,
  end: string,
  ask: (query: string) => Promise<GraphqlAnswer>,
): Promise<{ cursor: string; node: { id: string } }[]> {
  const [kind, args] = readKey(list);
  const filters = Object.entries(args)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(' ');
  const { data } = await ask(
    `{ list: ${kind}(${filters} ${end}: ${LEARNED}) { edges { cursor node { id } } } }`,
  );
  return data.list.edges;
}
