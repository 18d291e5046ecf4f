/** The data of the service that the benchmark asks: thirty conversations, 120 messages, five of them pinned. */

const contact = (n: number) => ({
  id: `u${n}`,
  username: `user.${n}`,
  phone_number: '+1 555 0100',
  avatar_url: `https://media.example/u${n}.png`,
  last_active_at: 1700000300,
  created_at: 1600000000,
});

const message = (id: string, conversationId: string, n: number) => ({
  id,
  conversation_id: conversationId,
  contact: contact(n % 7),
  message: `text ${id}, a line of some usual length`,
  reactions: [],
  attachments: [],
  read_at: null,
  created_at: 1700000000 + n,
  updated_at: null,
});

const conversation = (n: number) => ({
  id: `c${n}`,
  contact_id: 'u2',
  group_id: null,
  pinned_message_id: n <= 5 ? `p${n}` : null,
  is_pinned: n % 3 === 0,
  is_muted: n % 2 === 0,
  last_active_at: 1700000000 + n,
  last_opened_at: null,
  created_at: 1690000000 + n,
  archived_at: null,
});

const conversations = Array.from({ length: 30 }, (_, i) => conversation(i + 1));
/** The first fifty belong to ten conversations, five messages to each. */
const messages = Array.from({ length: 120 }, (_, i) =>
  message(`m${i + 1}`, `c${(i % 10) + 1}`, i),
);
const pinned = Array.from({ length: 5 }, (_, i) => message(`p${i + 1}`, `c${i + 1}`, i));
const messagesOf = (id: string) =>
  Array.from({ length: 30 }, (_, i) => message(`${id}m${i + 1}`, id, i));

const byId = new Map<string, object>(
  [...messages, ...pinned, ...conversations].map((item) => [item.id, item]),
);

/** A list as JSON texts of its items, for walks from one end to the other. */
const longList = (length: number): readonly string[] =>
  Array.from({ length }, (_, i) => JSON.stringify(message(`w${i}`, `walk${length}`, i)));
const longLists = new Map<number, readonly string[]>();

const page = (items: readonly object[], limit: number) => ({
  has_more: items.length > limit,
  data: items.slice(0, limit),
});

/** The service's answer to a request, as JSON, or null if it is not part of the interface. */
export function answer(method: string, target: string): string | null {
  const { pathname, searchParams } = new URL(target, 'http://service');
  if (method === 'POST') {
    return pathname === '/v1/messages' ? JSON.stringify(message('m1', 'c1', 1)) : null;
  }
  const limit = Number(searchParams.get('limit') ?? 10);
  if (pathname === '/v1/conversations') return JSON.stringify(page(conversations, limit));
  if (pathname === '/v1/messages') {
    const id = searchParams.get('conversation_id');
    const length = /^walk(\d+)$/.exec(id ?? '')?.[1];
    if (length !== undefined) return walkPage(Number(length), limit, searchParams);
    return JSON.stringify(page(id === null ? messages : messagesOf(id), limit));
  }
  const id = /^\/v1\/(?:messages|conversations)\/([^/]+)$/.exec(pathname)?.[1];
  const found = byId.get(id ?? '');
  return found === undefined ? null : JSON.stringify(found);
}

/** A page of a long list, asked for in any paging style. */
function walkPage(length: number, limit: number, query: URLSearchParams): string {
  const items = longLists.get(length) ?? longList(length);
  longLists.set(length, items);
  const after = query.get('starting_after');
  const number = (name: string) => Number(query.get(name) ?? 0);
  const start =
    after === null
      ? number('offset') + Math.max(0, number('page') - 1) * limit
      : Number(after.slice(1)) + 1;
  const hasMore = start + limit < length;
  return `{"has_more":${hasMore},"data":[${items.slice(start, start + limit)}]}`;
}
