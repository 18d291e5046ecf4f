import { GraphQLError } from 'graphql';
import { loadConfig } from '../../src/config.ts';
import { Budget } from '../../src/cost/budget.ts';
import { toPageOptions } from '../../src/gateway/parts.ts';
import type { Environment } from '../../src/gateway.ts';
import { toClientError } from '../../src/operation/errors.ts';
import type { PageArguments } from '../../src/paging/arguments.ts';
import { readConnection } from '../../src/paging/connection.ts';
import { requestPage } from '../../src/paging/cost.ts';
import {
  createEndpointMemory,
  type LearnedEndpoint,
} from '../../src/paging/known-endpoints.ts';
import type { Loader } from '../../src/resolvers/loaders.ts';
import { RememberedList } from '../../src/resolvers/pages.ts';
import { type Message, Messages } from '../../src/rest/message.ts';
import type { Read } from '../../src/rest/operation-read.ts';
import type { Path } from '../../src/rest/path.ts';
import { toSuccess } from '../../src/rest/response.ts';
import { encodeQuery, type Send } from '../../src/rest/send.ts';
import { accepted } from './callers.ts';
import { type GraphqlAnswer, startTestGateway, type TestGateway } from './gateway.ts';
import { type ListOptions, respond, startList } from './list.ts';

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

/** Asks a gateway for one page of c1 with GraphQL arguments. */
export async function askPage(gateway: TestGateway, args: string): Promise<TestPage> {
  const answer: GraphqlAnswer =
    await gateway.ask(`{ messages(conversationId: "c1" ${args}) {
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }`);
  const [error] = answer.errors ?? [];
  return toTestPage(
    answer.data?.messages,
    error && { message: error.message, code: error.extensions.code },
  );
}

interface TestError {
  readonly message: string;
  readonly code: string;
}

interface Edges {
  readonly edges: readonly { readonly cursor: string; readonly node: unknown }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** `error`: the first one; by default, that of the first malformed item. */
function toTestPage(
  connection: Edges | null | undefined,
  error: TestError | undefined = malformed(connection),
): TestPage {
  const { edges = [], pageInfo } = connection ?? {};
  const ids = edges.map(({ node }) => idOf(node));
  return {
    ids,
    cursors: edges.map(({ cursor }) => cursor),
    hasNext: pageInfo?.hasNextPage ?? false,
    hasPrevious: pageInfo?.hasPreviousPage ?? false,
    start: pageInfo?.startCursor ?? '',
    end: pageInfo?.endCursor ?? '',
    code: error?.code,
    message: error?.message,
    text: error
      ? `${error.code}: ${error.message}`
      : `${pageInfo?.hasPreviousPage ? '<' : ''}${ids.join('')}${pageInfo?.hasNextPage ? '>' : ''}`,
  };
}

const idOf = (node: unknown): string | null =>
  typeof node === 'object' && node !== null && 'id' in node ? String(node.id) : null;

function malformed(connection: Edges | null | undefined): TestError | undefined {
  const error = connection?.edges.find(({ node }) => node instanceof Error)?.node;
  return error === undefined
    ? undefined
    : { message: String(error), code: 'UPSTREAM_INVALID_RESPONSE' };
}

interface WalkOptions {
  readonly size: number;
  readonly backward?: boolean;
  /** Runs between two pages. */
  readonly between?: (turn: number, page: TestPage) => void;
}

/** Walks the whole list behind a gateway in one direction. */
export const walk = (gateway: TestGateway, options: WalkOptions) =>
  walkPages((args) => askPage(gateway, args), options);

async function walkPages(
  askPage: AskPage,
  { size, backward = false, between = () => {} }: WalkOptions,
): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  let args = backward ? `last: ${size}` : `first: ${size}`;
  for (let turn = 0; turn < 500; turn += 1) {
    const page = await askPage(args);
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

/** A service with one list, and what reads it page by page. */
export interface Pager {
  readonly service: {
    /** The items of the list; tests change them between two pages. */
    readonly ids: string[];
    /** The queries of all calls, without the conversation. */
    queries(): string[];
    /** How many items all answers so far had in total. */
    carried(): number;
  };
  /** What was learned of the service. */
  learned(): readonly LearnedEndpoint[];
  /** Asks for a page of c1. `after: c` and `before: c` send the cursor last seen for the item c. */
  page(args: string): Promise<TestPage>;
  walk(options: WalkOptions): Promise<(string | null)[]>;
  /** Replaces the list. */
  become(ids: Iterable<string>): void;
}

/** Where pages are read from. */
type AskPage = (args: string) => Promise<TestPage>;

function createPager(
  service: Pager['service'],
  askPage: AskPage,
  learned: Pager['learned'],
): Pager {
  const cursors = new Map<string | null, string>();
  const toCursor = (_all: string, side: string, id: string) =>
    `${side}: "${cursors.get(id)}"`;
  return {
    service,
    learned,
    async page(args) {
      const page = await askPage(args.replace(/(after|before): (\w+)/, toCursor));
      for (const [index, cursor] of page.cursors.entries())
        cursors.set(page.ids[index] ?? null, cursor);
      return page;
    },
    walk: (options) => walkPages(askPage, options),
    become: (ids) => {
      service.ids.splice(0, service.ids.length, ...ids);
    },
  };
}

/**
 * A pager without HTTP and GraphQL: it reads pages as the resolvers do, from a service that is a function. All else is the
 * gateway's: the list endpoint, its decoding, the price of a page and the budget of an operation.
 */
export function startPager(
  list: Iterable<string>,
  { service: options, settings }: Omit<Style, 'name'>,
): Pager {
  const ids = [...list];
  const urls: string[] = [];
  let carried = 0;
  const config = loadConfig({ MESSAGING_URL: 'http://service', ...settings });
  const endpoints = createEndpointMemory();
  const paging = toPageOptions(config, endpoints);

  function answer(url: string): unknown {
    urls.push(url);
    const { searchParams } = new URL(url, 'http://service');
    const { status, body } = respond(searchParams, ids, options);
    if (typeof body === 'object') carried += body.data.length;
    if (urls.length === 1) options.afterFirst?.(ids);
    options.afterEach?.(ids);
    const text = JSON.stringify(body);
    toSuccess(CALL, { status, headers: {}, text, bytes: text.length }, (words) => words);
    return body;
  }

  /** One operation. */
  async function ask(args: string): Promise<TestPage> {
    const budget = new Budget();
    const send = {
      caller: accepted('ann'),
      get: async (path: Path, read: Read<unknown>, query = {}) => {
        budget.spend();
        const url = path.text + encodeQuery(query).replace(/^\?/, '&');
        return read(answer(url), CALL, () => {});
      },
    } as unknown as Send;
    const known = new RememberedList(new Messages(send).list({ conversationId: 'c1' }), {
      loader: { primeAll() {} } as unknown as Loader<Message>,
      pagesRead: new Map(),
      attribution: null,
    });
    try {
      const requested = requestPage(toArguments(args), paging);
      if (requested instanceof Error) throw requested;
      budget.open({ ...requested.cost, mostExpensive: null }, config.maxRestCalls);
      return toTestPage(await readConnection(known, requested, { ...paging, budget }));
    } catch (error) {
      const originalError = error as Error;
      const { message, extensions } = toClientError(
        new GraphQLError(originalError.message, { originalError, path: ['messages'] }),
      );
      return toTestPage(null, { message, code: String(extensions?.code) });
    }
  }

  const queries = () => urls.map((url) => url.replace(`${PATH}&`, ''));
  return createPager({ ids, queries, carried: () => carried }, ask, endpoints.learned);
}

const CALL = { method: 'GET', route: '/v1/messages' } as const;
const PATH = '/v1/messages?conversation_id=c1';

/** Reads `first: 5, after: "..."`. */
function toArguments(args: string): PageArguments {
  const [, size, count] = /(first|last): (\d+)/.exec(args) ?? [];
  const [, side, cursor] = /(after|before): "([^"]*)"/.exec(args) ?? [];
  return {
    ...(size && { [size]: Number(count) }),
    ...(side && { [side]: cursor }),
  };
}

/** The same behind a gateway that listens, and in front of a service that does. */
export async function startHttpPager(
  list: Iterable<string>,
  { service, settings }: Omit<Style, 'name'>,
): Promise<Pager & AsyncDisposable & { readonly gateway: TestGateway }> {
  const upstream = await startList([...list], service);
  const gateway = await startTestGateway(upstream.url, settings);
  const pager = createPager(
    upstream,
    (args) => askPage(gateway, args),
    () => [],
  );
  return {
    ...pager,
    gateway,
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
