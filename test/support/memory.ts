import { readConnection } from '../../src/paging/connection.ts';
import { type PageOptions, requestPage } from '../../src/paging/cost.ts';
import { BadPageError } from '../../src/paging/errors.ts';
import { createEndpointMemory } from '../../src/paging/known-endpoints.ts';
import { createStrategy, type PagingStyle } from '../../src/paging/styles.ts';
import { RestStatusError } from '../../src/rest/errors.ts';
import { encodeQuery, type Query } from '../../src/rest/send.ts';
import { accepted } from './callers.ts';
import { type ListOptions, respond } from './list.ts';
import type { Style } from './pager.ts';

/** The ids of one page. Null where an item is malformed. */
export interface MemoryPage {
  readonly ids: (string | null)[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  readonly start: string | null;
  readonly end: string | null;
}

interface PageArguments {
  readonly first?: number;
  readonly after?: string | null;
  readonly last?: number;
  readonly before?: string | null;
}

interface MemoryOptions extends Omit<Style, 'name' | 'service'> {
  /** How the service answers a caller. */
  readonly service: ListOptions | ((caller: string) => ListOptions);
  readonly now?: () => number;
}

interface WalkOptions {
  readonly size: number;
  readonly backward?: boolean;
  readonly caller?: string;
  readonly between?: (page: MemoryPage) => void;
}

/** A service with one list, and what reads its pages, without a server; the bounds are the defaults. */
export function createMemory(given: Iterable<string>, options: MemoryOptions) {
  const { service, settings, now } = options;
  const ids = [...given];
  const calls: { readonly caller: string; readonly query: string }[] = [];
  const endpoints = createEndpointMemory(now ? { now } : {});
  const paging = toPageOptions(settings, endpoints);

  async function read(caller: string, window: Query) {
    const own = typeof service === 'function' ? service(caller) : service;
    const query = encodeQuery(window).slice(1);
    calls.push({ caller, query });
    const { status, body } = respond(new URLSearchParams(query), ids, own);
    if (calls.length === 1) own.afterFirst?.(ids);
    own.afterEach?.(ids);
    // As over a network, the answer comes later.
    await Promise.resolve();
    if (typeof body === 'string') throw refusal(status);
    const items = body.data.map((item) => {
      const { id = null } = item as { id?: string };
      return { id, value: id };
    });
    return { items, hasMore: body.has_more };
  }

  async function page(args: PageArguments, caller = 'ann'): Promise<MemoryPage> {
    const request = requestPage(args, paging);
    if (request instanceof BadPageError) throw request;
    let slack = Number(settings.MAX_REST_CALLS ?? 250) - request.cost.expected;
    const list = {
      key: '/v1/messages?conversation_id=c1',
      caller: accepted(caller),
      filtersById: false,
      isKnown: () => false,
      read: (window: Query) => read(caller, window),
    };
    const budget = { takeSlack: () => slack-- > 0 };
    const { nodes, pageInfo } = await readConnection(list, request, {
      ...paging,
      budget,
    });
    return {
      ids: nodes.map((node) => node as string | null),
      hasNext: pageInfo.hasNextPage,
      hasPrevious: pageInfo.hasPreviousPage,
      start: pageInfo.startCursor,
      end: pageInfo.endCursor,
    };
  }

  /** Walks the whole list in one direction. */
  async function walk({ size, backward = false, caller, between }: WalkOptions) {
    const seen: (string | null)[] = [];
    let cursor: string | null = null;
    for (let turn = 0; turn < 1000; turn += 1) {
      const args: PageArguments = backward
        ? { last: size, before: cursor }
        : { first: size, after: cursor };
      const read: MemoryPage = await page(args, caller);
      seen.splice(backward ? 0 : seen.length, 0, ...read.ids);
      if (!(backward ? read.hasPrevious : read.hasNext)) return seen;
      cursor = backward ? read.start : read.end;
      between?.(read);
    }
    throw new Error('the walk does not end');
  }

  return {
    ids,
    calls,
    endpoints,
    page,
    walk,
    /** The queries of a caller, in their order. */
    queriesOf: (caller: string) =>
      calls.filter((call) => call.caller === caller).map(({ query }) => query),
  };
}

function toPageOptions(
  settings: Style['settings'],
  endpoints: PageOptions['bounds']['endpoints'],
): PageOptions {
  const maxPageSize = Number(settings.MAX_PAGE_SIZE ?? 100);
  return {
    strategy: createStrategy({
      style: (settings.PAGING ?? 'auto') as PagingStyle,
      param: settings.PAGING_PARAM ?? null,
      backParam: settings.PAGING_BACK_PARAM ?? null,
      unknownId: settings.PAGING_UNKNOWN_ID === 'first' ? 'first' : 'refused',
      maxPageSize,
    }),
    bounds: {
      maxPageSize,
      maxCalls: Number(settings.MAX_CALLS_PER_LIST ?? 20),
      maxLimit: Number(settings.MAX_LIMIT ?? Number.POSITIVE_INFINITY),
      endpoints,
    },
  };
}

const refusal = (status: number) =>
  new RestStatusError(
    { method: 'GET', route: '/v1/messages' },
    { status, body: null, words: null, retryAfterSeconds: null },
  );
