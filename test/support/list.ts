import { startUpstream, type Upstream } from './upstream.ts';
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
  /** Chooses the ids of a page in another way; null: as usual. An error is a 503. */
  readonly look?: (
    query: URLSearchParams,
    ids: readonly string[],
  ) => readonly string[] | null;
  /** Changes the list after the first call. */
  readonly afterFirst?: (ids: string[]) => void;
  /** Changes the list after every call. */
  readonly afterEach?: (ids: string[]) => void;
  /** The body of every answer, whatever the call. */
  readonly always?: ReturnType<typeof wirePage>;
}

export interface ListUpstream extends Upstream {
  /** The items of the list; tests change them between two pages. */
  readonly ids: string[];
  /** How many items all answers so far had in total. */
  carried(): number;
  /** The queries received, without the conversation. */
  queries(): string[];
}

/** A service with the messages `given` in one conversation, in that order. An id "!..." makes a malformed item without an id. */
export async function startList(
  given: readonly string[],
  options: ListOptions = {},
): Promise<ListUpstream> {
  const ids = [...given];
  let carried = 0;
  const upstream = await startUpstream(({ line }) => {
    const { searchParams } = new URL(line.slice('GET '.length), 'http://service');
    const answer = respond(searchParams, ids, options);
    if (typeof answer.body === 'object') carried += answer.body.data.length;
    if (upstream.calls.length === 1) options.afterFirst?.(ids);
    options.afterEach?.(ids);
    return answer;
  });
  return Object.assign(upstream, {
    ids,
    carried: () => carried,
    queries: () =>
      upstream
        .lines()
        .map((line) => line.replace('GET /v1/messages?conversation_id=c1&', '')),
  });
}

function respond(query: URLSearchParams, ids: readonly string[], options: ListOptions) {
  const { always, unknown = 400, refuse, maxLimit = Number.POSITIVE_INFINITY } = options;
  if (always) return { body: always };
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

  const page = Number(get(options.page) ?? 1) - 1;
  const offset = Number(get(options.offset) ?? page * size);
  const before = get(options.before);
  const id = get(options.after) ?? before;
  if (id === null) return { body: pageOf(ids, offset, size) };

  const index = ids.indexOf(id);
  if (index === -1) {
    if (typeof unknown === 'number') return { status: unknown, body: 'unknown cursor' };
    return { body: unknown === 'empty' ? wirePage([]) : pageOf(ids, 0, size) };
  }
  if (before === null) return { body: pageOf(ids, index + 1, size) };
  const from = Math.max(0, index - size);
  return { body: wirePage(ids.slice(from, index).map(item), from > 0) };
}

function lookUp(query: URLSearchParams, ids: readonly string[], { look }: ListOptions) {
  try {
    const found = look?.(query, ids) ?? null;
    return found && { body: wirePage(found.map(item), found.at(-1) !== ids.at(-1)) };
  } catch {
    return { status: 503, body: 'down' };
  }
}

const item = (id: string) => (id.startsWith('!') ? { broken: id } : wireMessage(id));

const pageOf = (ids: readonly string[], from: number, size: number) =>
  wirePage(ids.slice(from, from + size).map(item), from + size < ids.length);
