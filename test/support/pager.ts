import { crc32 } from 'node:zlib';
import { GraphQLError } from 'graphql';
import type { Environment } from '../../src/gateway.ts';
import { toClientError } from '../../src/operation/errors.ts';
import type { PageArguments } from '../../src/paging/cost.ts';
import type { ListOptions } from './list.ts';
import { createMemory, idOf } from './memory.ts';

/** One page of the conversation c1. */
interface TestPage {
  /** Null where an item is malformed. */
  readonly ids: (string | null)[];
  readonly cursors: string[];
  readonly start: string;
  readonly end: string;
  readonly code: string | undefined;
  /** The ids, after `<` if there is a previous page and before `>` if there is a next one; or the code and message. */
  readonly text: string;
}

type Read = Awaited<ReturnType<ReturnType<typeof createMemory>['connection']>>;

function toTestPage({ edges, pageInfo }: Read): TestPage {
  const { hasPreviousPage, hasNextPage, startCursor, endCursor } = pageInfo;
  const ids = edges.map(({ node }) => idOf(node));
  const malformed = edges.find(({ node }) => node instanceof Error)?.node;
  return {
    ids,
    cursors: edges.map(({ cursor }) => cursor),
    start: startCursor ?? '',
    end: endCursor ?? '',
    code: malformed ? 'UPSTREAM_INVALID_RESPONSE' : undefined,
    text: malformed
      ? `UPSTREAM_INVALID_RESPONSE: ${malformed}`
      : `${hasPreviousPage ? '<' : ''}${ids.join('')}${hasNextPage ? '>' : ''}`,
  };
}

/** Instead of a page, with the error as a client sees it. */
function toFailedPage(originalError: Error): TestPage {
  const thrown = new GraphQLError(originalError.message, {
    originalError,
    path: ['messages'],
  });
  const { message, extensions } = toClientError(thrown);
  const code = String(extensions?.code);
  return { ids: [], cursors: [], start: '', end: '', code, text: `${code}: ${message}` };
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

/** A service with one list, and what reads its pages, without HTTP and GraphQL. */
export function startPager(list: Iterable<string>, style: Omit<Style, 'name'>) {
  const { service, connection, learned, walk } = createMemory(list, style);
  const cursors = new Map<string | null, string>();
  const toCursor = (_all: string, side: string, id: string) =>
    `${side}: "${cursors.get(id)}"`;
  return {
    service,
    /** What was learned of the service. */
    learned,
    walk,
    /** Asks for a page of c1. `after: c` and `before: c` send the cursor last seen for the item c. */
    async page(args: string): Promise<TestPage> {
      const given = toArguments(args.replace(/(after|before): (\w+)/, toCursor));
      const page = await connection(given).then(toTestPage, toFailedPage);
      for (const [index, cursor] of page.cursors.entries())
        cursors.set(page.ids[index] ?? null, cursor);
      return page;
    },
    /** Replaces the list. */
    become: (ids: Iterable<string>) => {
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
