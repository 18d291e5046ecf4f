import { startUpstream, type Upstream } from './upstream.ts';
import { wireMessage, wirePage } from './wire.ts';

/** How a service may page, cap and misbehave. */
export interface ListOptions {
  /** The parameters it knows besides `limit`; default: none, the documented interface. */
  readonly after?: string;
  readonly before?: string;
  readonly offset?: string;
  readonly page?: string;
  /** What it answers to an id it does not know there; default 400. */
  readonly unknown?: 400 | 404 | 'empty' | 'first';
  readonly maxLimit?: number;
  /** Default: a `limit` above it is silently capped. */
  readonly refuse?: 400 | 422;
  /** What happens to the list once the first call is answered. */
  readonly afterFirst?: (ids: string[]) => void;
}

export interface ListUpstream extends Upstream {
  /** What the list holds now; tests add and delete between two pages. */
  readonly ids: string[];
  /** How many items all answers so far held. */
  carried(): number;
  /** The queries asked, without the conversation. */
  queries(): string[];
}

/** A service with the messages `ids` in one conversation, in that order. An id that begins with "!" has none readable. */
export async function startList(
  given: readonly string[],
  options: ListOptions = {},
): Promise<ListUpstream> {
  const ids = [...given];
  let carried = 0;
  const upstream = await startUpstream((call) => {
    const answer = respond(call);
    if (typeof answer.body === 'object') carried += answer.body.data.length;
    if (upstream.calls.length === 1) options.afterFirst?.(ids);
    return answer;
  });
  const respond = ({ line }: { line: string }) => {
    const query = new URL(line.slice('GET '.length), 'http://service').searchParams;
    const limit = Number(query.get('limit') ?? 10);
    const { maxLimit = Number.POSITIVE_INFINITY, refuse } = options;
    if (limit > maxLimit && refuse !== undefined)
      return { status: refuse, body: 'limit' };
    const size = Math.min(limit, maxLimit);

    if (options.offset)
      return { body: page(ids, Number(query.get(options.offset) ?? 0), size) };
    if (options.page) {
      return { body: page(ids, (Number(query.get(options.page) ?? 1) - 1) * size, size) };
    }
    const after = options.after ? query.get(options.after) : null;
    const before = options.before ? query.get(options.before) : null;
    const index = ids.indexOf(after ?? before ?? '');
    if ((after ?? before) !== null && index === -1) {
      const { unknown = 400 } = options;
      if (typeof unknown === 'number') return { status: unknown, body: 'unknown cursor' };
      if (unknown === 'empty') return { body: wirePage([]) };
      return { body: page(ids, 0, size) };
    }
    if (before !== null) {
      const from = Math.max(0, index - size);
      return { body: wirePage(ids.slice(from, index).map(item), from > 0) };
    }
    return { body: page(ids, index + 1, size) };
  };
  return Object.assign(upstream, {
    ids,
    carried: () => carried,
    queries: () =>
      upstream
        .lines()
        .map((line) => line.replace('GET /v1/messages?conversation_id=c1&', '')),
  });
}

const item = (id: string) => (id.startsWith('!') ? { broken: id } : wireMessage(id));

const page = (ids: readonly string[], from: number, size: number) =>
  wirePage(ids.slice(from, from + size).map(item), from + size < ids.length);
