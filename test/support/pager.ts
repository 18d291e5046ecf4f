import { crc32 } from 'node:zlib';
import { GraphQLError } from 'graphql';
import type { Environment } from '../../src/gateway.ts';
import { toClientError } from '../../src/operation/errors.ts';
import type { PageArguments } from '../../src/paging/cost.ts';
import type { LearnedEndpoint } from '../../src/paging/known-endpoints.ts';
import type { ListOptions, ListService } from './list.ts';
import { createMemory, idOf } from './memory.ts';

/** One page of the conversation c1. */
interface TestPage {
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

/** Walks the whole list in one direction. */
async function walkPages(
  askPage: (args: string) => Promise<TestPage>,
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

/** Every style with the settings that it needs. A service that answers an unknown id with its first page has one of its own. */
export const SET_BY_HAND: readonly Style[] = [...STYLES, ...BY_UNKNOWN_ID].map(
  (style) => ({
    ...style,
    settings: {
      ...style.settings,
      PAGING_UNKNOWN_ID: style.service.unknown === 'first' ? 'first' : 'refused',
    },
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
  readonly service: Omit<ListService, 'answer'>;
  /** What was learned of the service. */
  learned(): readonly LearnedEndpoint[];
  /** Asks for a page of c1. `after: c` and `before: c` send the cursor last seen for the item c. */
  page(args: string): Promise<TestPage>;
  walk(options: WalkOptions): Promise<(string | null)[]>;
  /** Replaces the list. */
  become(ids: Iterable<string>): void;
}

/** A service with one list, and what reads its pages, without HTTP and GraphQL. */
export function startPager(list: Iterable<string>, style: Omit<Style, 'name'>): Pager {
  const { service, connection, learned } = createMemory(list, style);
  const askPage = (args: string) =>
    connection(toArguments(args)).then(
      (page) => toTestPage(page),
      (originalError: Error) => {
        const { message } = originalError;
        const thrown = new GraphQLError(message, { originalError, path: ['messages'] });
        const error = toClientError(thrown);
        return toTestPage(null, {
          message: error.message,
          code: String(error.extensions?.code),
        });
      },
    );
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

/** Reads `first: 5, after: "..."`. */
function toArguments(args: string): PageArguments {
  const [, size, count] = /(first|last): (\d+)/.exec(args) ?? [];
  const [, side, cursor] = /(after|before): "([^"]*)"/.exec(args) ?? [];
  return { ...(size && { [size]: Number(count) }), ...(side && { [side]: cursor }) };
}

/** `count` ids that sort in their order: m000, m001, ... */
export const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `m${String(index).padStart(3, '0')}`);

export const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Replaces parts of a real cursor, by index, and gives it a correct checksum, as an attacker who knows the format can. */
export function forge(cursor: string | null, change: object, space = ''): string {
  const text = Buffer.from(cursor ?? '', 'base64url').toString();
  const parts = JSON.stringify(Object.assign(JSON.parse(text).slice(0, -1), change));
  const forged = `${parts.slice(0, -1)},${space}${crc32(parts)}]`;
  return Buffer.from(forged).toString('base64url');
}
