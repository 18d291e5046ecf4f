import { loadConfig } from '../../src/config.ts';
import { Budget } from '../../src/cost/budget.ts';
import { toPageOptions } from '../../src/gateway/parts.ts';
import type { Environment } from '../../src/gateway.ts';
import { type Message, messages } from '../../src/messaging/message.ts';
import { type Connection, readConnection } from '../../src/paging/connection.ts';
import type { PageArguments } from '../../src/paging/cost.ts';
import { requestPage } from '../../src/paging/cost.ts';
import { BadPageError } from '../../src/paging/errors.ts';
import { createEndpointMemory } from '../../src/paging/known-endpoints.ts';
import type { Loader } from '../../src/resolvers/loaders.ts';
import { RememberedList } from '../../src/resolvers/pages.ts';
import { encodeQuery, type Path } from '../../src/rest/path.ts';
import { toSuccess } from '../../src/rest/response.ts';
import type { ReadAnswer, Send } from '../../src/rest/send.ts';
import { accepted } from './callers.ts';
import { createList, type ListOptions } from './list.ts';

/** The ids of one page. Null where an item is malformed. */
interface MemoryPage {
  readonly ids: (string | null)[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  readonly start: string | null;
  readonly end: string | null;
}

interface MemoryOptions {
  /** How the service answers a caller. */
  readonly service: ListOptions | ((caller: string) => ListOptions);
  /** The gateway's. */
  readonly settings: Environment;
  readonly now?: () => number;
}

interface Direction {
  readonly size: number;
  readonly backward?: boolean;
  readonly order?: PageArguments['order'];
}

interface WalkOptions extends Direction {
  readonly caller?: string;
  readonly between?: () => void;
}

/** The pages of a walk through the whole list in one direction. */
export async function* pagesOf(
  readPage: (args: PageArguments) => Promise<MemoryPage>,
  { size, backward = false, order }: Direction,
) {
  let cursor: string | null = null;
  for (let turn = 0; turn < 1000; turn += 1) {
    const page = await readPage(
      backward
        ? { last: size, before: cursor, order }
        : { first: size, after: cursor, order },
    );
    const isLast = !(backward ? page.hasPrevious : page.hasNext);
    yield { ...page, isLast };
    if (isLast) return;
    cursor = backward ? page.start : page.end;
  }
  throw new Error('the walk does not end');
}

/**
 * A service with one list, and what reads its pages, without HTTP and GraphQL. The service is a function; all else is the
 * gateway's: the list endpoint, its decoding, the price of a page and the budget of an operation.
 */
export function createMemory(given: Iterable<string>, options: MemoryOptions) {
  const service = createList(given, options.service);
  const config = loadConfig({ MESSAGING_URL: 'http://service', ...options.settings });
  const { now } = options;
  const endpoints = createEndpointMemory(now ? { now } : {});
  const paging = toPageOptions(config, endpoints);

  /** Reads one page, as an operation of its own. */
  async function connection(
    args: PageArguments,
    caller = 'ann',
  ): Promise<Connection<Message>> {
    const request = requestPage(args, paging);
    if (request instanceof BadPageError) throw request;
    const budget = new Budget();
    budget.open(request.cost, config.maxRestCalls);
    const send = {
      caller: accepted(caller),
      async get(path: Path, read: ReadAnswer<unknown>, query = {}) {
        budget.spend();
        const url = path.text + encodeQuery(query).replace(/^\?/, '&');
        const { status, body } = service.answer(url, caller);
        const answer = {
          status,
          headers: {},
          bytes: 0,
          // Only errors need it, and to write it takes long.
          get text() {
            return JSON.stringify(body);
          },
        };
        // As over a network, the answer comes later.
        await Promise.resolve();
        toSuccess(CALL, answer, (words) => words);
        return read(body, CALL, () => {});
      },
    } as unknown as Send;
    const list = new RememberedList(messages.list(send, { conversationId: 'c1' }), {
      loader: { primeAll() {} } as unknown as Loader<Message>,
      pagesRead: new Map(),
      attribution: null,
    });
    return readConnection(list, request, { ...paging, budget });
  }

  async function page(args: PageArguments, caller?: string): Promise<MemoryPage> {
    const { nodes, pageInfo } = await connection(args, caller);
    return {
      ids: nodes.map(idOf),
      hasNext: pageInfo.hasNextPage,
      hasPrevious: pageInfo.hasPreviousPage,
      start: pageInfo.startCursor,
      end: pageInfo.endCursor,
    };
  }

  /** The ids of a whole walk, in the order of the list. */
  async function walk({ caller, between, ...direction }: WalkOptions) {
    const seen: (string | null)[] = [];
    for await (const { ids, isLast } of pagesOf(
      (args) => page(args, caller),
      direction,
    )) {
      seen.splice(direction.backward ? 0 : seen.length, 0, ...ids);
      if (!isLast) between?.();
    }
    return seen;
  }

  return {
    service,
    ids: service.ids,
    learned: endpoints.learned,
    connection,
    page,
    walk,
  };
}

const CALL = { method: 'GET', route: '/v1/messages' } as const;

/** Null for a malformed item. */
export const idOf = (node: unknown): string | null =>
  typeof node === 'object' && node !== null && 'id' in node ? String(node.id) : null;
