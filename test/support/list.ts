import { startUpstream } from './upstream.ts';
import { wireMessage, wirePage } from './wire.ts';

/** How a service pages, caps `limit` and misbehaves. */
export interface ListOptions {
  /** The paging parameters it knows; default: only `limit`, as documented. */
  readonly after?: string;
  readonly before?: string;
  readonly offset?: string;
  readonly page?: string;
  /** How it answers an unknown id there; default 400. */
  readonly unknown?: 400 | 404 | 'empty' | 'first';
  /** Whether it refuses parameters that it does not know, with 400. */
  readonly strict?: boolean;
  readonly maxLimit?: number;
  /** The status for a `limit` above `maxLimit`; default: it is capped silently. */
  readonly refuse?: 400 | 422;
  /** When the message of an id was created; default: all at once. */
  readonly timeOf?: (id: string) => number;
  /** Chooses the ids of a page in another way; null: as usual. An error is a 503. */
  readonly find?: (
    query: URLSearchParams,
    ids: readonly string[],
  ) => readonly string[] | null;
  /** Takes `limit` items, and then leaves these out. */
  readonly hides?: (id: string) => boolean;
  /** Changes the list after the first call. */
  readonly afterFirst?: (ids: string[]) => void;
  /** Changes the list after every call. */
  readonly afterEach?: (ids: string[]) => void;
  /** The body of every answer, whatever the call. */
  readonly always?: ReturnType<typeof wirePage>;
}

/**
 * A service with one list, without HTTP. The messages `given` are in one conversation, in that order. An id "!..." makes a
 * malformed item without an id.
 */
export function createList(
  given: Iterable<string>,
  options: ListOptions | ((caller: string) => ListOptions) = {},
) {
  const ids = [...given];
  const calls: { readonly caller: string; readonly query: string }[] = [];
  let carried = 0;
  return {
    /** The items of the list; tests change them between two pages. */
    ids,
    /** How many items all answers so far had in total. */
    carried: () => carried,
    /** The queries received, from all or from one caller, without the conversation. */
    queries: (of?: string) =>
      calls.filter(({ caller }) => caller === (of ?? caller)).map(({ query }) => query),
    /** The status and the body for an address. */
    answer(url: string, caller = 'ann') {
      calls.push({ caller, query: url.replace('/v1/messages?conversation_id=c1&', '') });
      const own = typeof options === 'function' ? options(caller) : options;
      const { searchParams } = new URL(url, 'http://service');
      const answer = respond(searchParams, ids, own);
      if (typeof answer.body === 'object') carried += answer.body.data.length;
      if (calls.length === 1) own.afterFirst?.(ids);
      own.afterEach?.(ids);
      return answer;
    },
  };
}

/** The same, as a service that listens. */
export async function startList(given: Iterable<string>, options: ListOptions = {}) {
  const { answer, ...list } = createList(given, options);
  const upstream = await startUpstream(({ line }) => answer(line.slice('GET '.length)));
  return Object.assign(upstream, list);
}

/** What the service answers to a query. */
function respond(query: URLSearchParams, ids: readonly string[], options: ListOptions) {
  const { always, unknown = 400, refuse, maxLimit = Number.POSITIVE_INFINITY } = options;
  if (always) return { status: 200, body: always };
  const { after, before: back, offset: skip, page: number } = options;
  const names = ['conversation_id', 'limit', after, back, skip, number];
  if (options.strict && [...query.keys()].some((name) => !names.includes(name)))
    return { status: 400, body: 'unknown parameter' };
  const limit = Number(query.get('limit') ?? 10);
  if (limit > maxLimit && refuse !== undefined) return { status: refuse, body: 'limit' };
  const size = Math.min(limit, maxLimit);
  const found = lookUp(query, ids, options);
  if (found !== null) return found;
  const get = (name: string | undefined) => (name ? query.get(name) : null);
  const pageOf = (from: number, to: number, hasMore = to < ids.length) => {
    const taken = ids.slice(from, to).filter((one) => !options.hides?.(one));
    return { status: 200, body: wirePage(taken.map(toItem(options)), hasMore) };
  };

  const page = Number(get(options.page) ?? 1) - 1;
  const offset = Number(get(options.offset) ?? page * size);
  const before = get(options.before);
  const id = get(options.after) ?? before;
  if (id === null) return pageOf(offset, offset + size);

  const index = ids.indexOf(id);
  if (index === -1) {
    if (typeof unknown === 'number') return { status: unknown, body: 'unknown cursor' };
    return pageOf(
      0,
      unknown === 'empty' ? 0 : size,
      unknown !== 'empty' && size < ids.length,
    );
  }
  if (before === null) return pageOf(index + 1, index + 1 + size);
  const from = Math.max(0, index - size);
  return pageOf(from, index, from > 0);
}

function lookUp(query: URLSearchParams, ids: readonly string[], options: ListOptions) {
  try {
    const found = options.find?.(query, ids) ?? null;
    return (
      found && {
        status: 200,
        body: wirePage(found.map(toItem(options)), found.at(-1) !== ids.at(-1)),
      }
    );
  } catch {
    return { status: 503, body: 'down' };
  }
}

const toItem =
  ({ timeOf }: ListOptions) =>
  (id: string) => {
    if (id.startsWith('!')) return { broken: id };
    return wireMessage(id, timeOf && { created_at: timeOf(id) });
  };
