import type { Environment } from '../../src/gateway.ts';
import { type GraphqlAnswer, startTestGateway, type TestGateway } from './gateway.ts';
import { type ListOptions, type ListUpstream, startList } from './list.ts';

/** One page of the conversation c1. */
export interface TestPage {
  /** Null where an item is malformed. */
  readonly ids: (string | null)[];
  readonly cursors: string[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  readonly start: string;
  readonly end: string;
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** The ids, after `<` if there is a previous page and before `>` if there is a next one; or the code and message. */
  readonly text: string;
}

interface Node {
  readonly id: string;
}

/** Asks for one page of c1 with GraphQL arguments. */
export async function askPage(gateway: TestGateway, args: string): Promise<TestPage> {
  const answer: GraphqlAnswer =
    await gateway.ask(`{ messages(conversationId: "c1" ${args}) {
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }`);
  const [error] = answer.errors ?? [];
  const { edges = [], pageInfo = {} } = answer.data?.messages ?? {};
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
  const ids = edges.map(({ node }: { node: Node | null }) => node?.id ?? null);
  return {
    ids,
    cursors: edges.map(({ cursor }: { cursor: string }) => cursor),
    hasNext: hasNextPage,
    hasPrevious: hasPreviousPage,
    start: startCursor,
    end: endCursor,
    code: error?.extensions.code,
    message: error?.message,
    text: error
      ? `${error.extensions.code}: ${error.message}`
      : `${hasPreviousPage ? '<' : ''}${ids.join('')}${hasNextPage ? '>' : ''}`,
  };
}

interface WalkOptions {
  readonly size: number;
  readonly backward?: boolean;
  /** Runs between two pages. */
  readonly between?: (turn: number, page: TestPage) => void;
}

/** Walks the whole list in one direction. */
export async function walk(
  gateway: TestGateway,
  { size, backward = false, between = () => {} }: WalkOptions,
): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  let args = backward ? `last: ${size}` : `first: ${size}`;
  for (let turn = 0; turn < 500; turn += 1) {
    const page = await askPage(gateway, args);
    if (page.code !== undefined) throw new Error(page.text);
    ids.splice(backward ? 0 : ids.length, 0, ...page.ids);
    if (!(backward ? page.hasPrevious : page.hasNext)) return ids;
    between(turn, page);
    args = backward
      ? `last: ${size}, before: "${page.start}"`
      : `first: ${size}, after: "${page.end}"`;
  }
  throw new Error('the walk does not end');
}

/** A way of paging: the service's, and the gateway's settings for it. */
export interface Style {
  readonly name: string;
  readonly service: ListOptions;
  readonly settings: Environment;
}

export const BY_LIMIT: Style = {
  name: 'limit',
  service: {},
  settings: { PAGING: 'limit' },
};
export const BY_ID: Style = {
  name: 'starting_after',
  service: { after: 'starting_after', before: 'ending_before' },
  settings: { PAGING: 'starting_after' },
};

export const STYLES: readonly Style[] = [
  BY_LIMIT,
  BY_ID,
  { name: 'offset', service: { offset: 'offset' }, settings: { PAGING: 'offset' } },
  { name: 'page', service: { page: 'page' }, settings: { PAGING: 'page' } },
];

/** Keyset paging, for each other way in which a service may answer an unknown id. */
export const BY_UNKNOWN_ID: readonly Style[] = ([404, 'empty', 'first'] as const).map(
  (unknown) => ({
    ...BY_ID,
    name: `starting_after, unknown id: ${unknown}`,
    service: { ...BY_ID.service, unknown },
  }),
);

const NO_WAY_BACK = {
  name: 'starting_after alone',
  service: { after: 'starting_after' },
};
const RENAMED = { name: 'offset, called skip', service: { offset: 'skip' } };

/** Services of every kind, that ignore or refuse what they do not know; the gateway knows nothing of them. */
export const LEARNING: readonly Style[] = [
  ...STYLES,
  ...BY_UNKNOWN_ID,
  NO_WAY_BACK,
  RENAMED,
].flatMap(({ name, service }) => [
  { name: `auto, service: ${name}`, service, settings: {} },
  {
    name: `auto, strict service: ${name}`,
    service: { ...service, strict: true },
    settings: {},
  },
]);

/** A service with one list, and a gateway before it. */
interface Pager extends AsyncDisposable {
  readonly upstream: ListUpstream;
  readonly gateway: TestGateway;
  /** Asks for a page of c1. `after: c` and `before: c` send the cursor last seen for the item c. */
  page(args: string): Promise<TestPage>;
  walk(options: WalkOptions): Promise<(string | null)[]>;
  /** Replaces the list. */
  become(ids: Iterable<string>): void;
}

export async function startPager(
  list: Iterable<string>,
  { service, settings }: Omit<Style, 'name'>,
): Promise<Pager> {
  const upstream = await startList([...list], service);
  const gateway = await startTestGateway(upstream.url, settings);
  const cursors = new Map<string | null, string>();
  const toCursor = (_all: string, side: string, id: string) =>
    `${side}: "${cursors.get(id)}"`;
  return {
    upstream,
    gateway,
    async page(args) {
      const page = await askPage(
        gateway,
        args.replace(/(after|before): (\w+)/, toCursor),
      );
      for (const [index, cursor] of page.cursors.entries())
        cursors.set(page.ids[index] ?? null, cursor);
      return page;
    },
    walk: (options) => walk(gateway, options),
    become: (ids) => {
      upstream.ids.splice(0, upstream.ids.length, ...ids);
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** `count` ids that sort in their order: m000, m001, ... */
export const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `m${String(index).padStart(3, '0')}`);

export const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
