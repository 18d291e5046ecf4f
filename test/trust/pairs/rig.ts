import {
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
} from '../../support/upstream.ts';
import {
  wireContact,
  wireConversation,
  wireMessage,
  wirePage,
} from '../../support/wire.ts';

/** How a service and the settings of the gateways before it are. */
export interface Rig {
  readonly paging: 'limit' | 'starting_after' | 'offset' | 'page';
  /** How many items each list has. */
  readonly items: number;
  /** The highest `limit`, if there is one. */
  readonly cap: {
    readonly limit: number;
    readonly isRefused: boolean;
  } | null;
  /** Whether the highest `limit` is for A alone. */
  readonly capsAAlone: boolean;
  /** What else the service does to A alone. */
  readonly troubleOfA: 'none' | 'slow' | 'failing' | 'refused' | 'broken';
  /** Whether the gateways must learn how the service pages. They do so before the first pair. */
  readonly isLearned: boolean;
}

export const TOKEN_OF_A = 'token-a';

/** What the service knows of one token. */
interface State {
  writes: number;
  readonly deleted: Set<string>;
}

/** Starts the service of a rig. It answers each token from what that token alone has sent. */
export function startService(rig: Rig): Promise<Upstream> {
  const states = new Map<string, State>();
  return startUpstream(({ line, token = '' }) => {
    const state = states.get(token) ?? { writes: 0, deleted: new Set<string>() };
    states.set(token, state);
    const isA = token.endsWith(TOKEN_OF_A);
    const answer = answerTo(line, state, { rig, isA });
    return isA ? { ...answer, ...troubleWith(line, rig) } : answer;
  });
}

/** A third of A's calls are well in every case, so that A's operations come further than to their first call. */
function troubleWith(line: string, { troubleOfA }: Rig): UpstreamAnswer {
  const chance = line.length % 6;
  if (chance < 2) return {};
  switch (troubleOfA) {
    case 'slow':
      return { delayMs: 4 };
    case 'failing':
      return { status: 503, body: 'down' };
    case 'refused':
      return { status: chance < 4 ? 403 : 400, body: 'no' };
    case 'broken':
      return chance < 4 ? { body: '<html>' } : { broken: 'within' };
    default:
      return {};
  }
}

interface Asked {
  readonly rig: Rig;
  readonly isA: boolean;
}

function answerTo(line: string, state: State, asked: Asked): UpstreamAnswer {
  const [method = '', target = ''] = line.split(' ');
  const { pathname, searchParams } = new URL(target, 'http://service');
  const [, , resource, raw] = pathname.split('/');
  const id = raw === undefined ? null : decodeURIComponent(raw);
  if (id === null && method === 'GET')
    return toPage(resource === 'messages', searchParams, { ...asked, state });
  const refused = id !== null && (state.deleted.has(id) || refuses(id));
  if (id !== null && refused) return { status: id.includes('denied') ? 403 : 404 };
  if (method !== 'GET') state.writes += 1;
  if (method === 'DELETE' && id !== null) state.deleted.add(id);
  return {
    body: toItem(resource === 'messages', id ?? `new${state.writes}`, {
      ...asked,
      state,
    }),
  };
}

const refuses = (id: string): boolean => /gone|denied/.test(id);

/** Each item shows how often its token has written. The messages of A come the newest first, those of others the oldest first. */
const toItem = (
  isMessage: boolean,
  id: string,
  { isA, state: { writes } }: Asked & { readonly state: State },
) =>
  isMessage
    ? wireMessage(id, {
        created_at: 1_700_000_000 + (isA ? -1 : 1) * (Number(id.slice(1)) || 0),
        message: `text ${writes}`,
        contact: wireContact({ username: 'ann' }),
        updated_at: 1_700_000_000 + writes,
      })
    : wireConversation(id, {
        last_active_at: 1_700_000_000 + writes,
        pinned_message_id: 'm1',
      });

function toPage(
  isMessage: boolean,
  query: URLSearchParams,
  asked: Asked & { readonly state: State },
): UpstreamAnswer {
  const { rig, isA } = asked;
  const { paging, items, cap } = rig;
  const limit = Number(query.get('limit') ?? 10);
  const isOver = cap !== null && limit > cap.limit && (isA || !rig.capsAAlone);
  if (isOver && cap.isRefused) return { status: 400, body: 'limit' };
  const size = isOver ? cap.limit : limit;
  const ids = Array.from(
    { length: items },
    (_, index) => `${isMessage ? 'm' : 'c'}${index}`,
  );
  const found = ids.indexOf(query.get('starting_after') ?? '');
  if (paging === 'starting_after' && query.has('starting_after') && found === -1)
    return { status: 400, body: 'unknown cursor' };
  const from = {
    limit: 0,
    starting_after: found + 1,
    offset: Number(query.get('offset') ?? 0),
    page: (Number(query.get('page') ?? 1) - 1) * size,
  }[paging];
  const page = ids.slice(from, from + size).map((id) => toItem(isMessage, id, asked));
  return { body: wirePage(page, from + size < items) };
}
