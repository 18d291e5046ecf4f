/**
 * The data of the service that the benchmark asks: thirty conversations, 120 messages, five of them pinned. The messages are
 * what people send: texts of several lengths and alphabets, with reactions and attachments.
 */

import { createRandom, type Random } from '../../src/embedded/sample/random.ts';

/** Words of several languages and alphabets. Texts of random ones compress about as well as what people write. */
const WORDS =
  'on my way ten minutes yes that works for me could you send the address once more I deleted old chat file is attached page has figures tell if number looks wrong went through whole list again last night and most of it can stay as Schöne Grüße aus Köln wir sind gegen halb acht da früher schaffen nicht noté merci à jeudi Увидимся на вокзале в шесть я возьму билеты 明日の会議は 十時からです 資料を 確認して おいてください 👍 🎉 👋'.split(
    ' ',
  );
/** Of texts, in turns. Unit: words. */
const LENGTHS = [4, 14, 9, 1, 17, 10, 95, 6, 2, 18];

const randomOf = (id: string): Random =>
  createRandom([...id].reduce((seed, char) => seed * 31 + char.charCodeAt(0), 7));

function textOf(id: string, n: number): string {
  const random = randomOf(id);
  const length = LENGTHS[n % LENGTHS.length] ?? 1;
  return Array.from({ length }, () => random.pick(WORDS)).join(' ');
}
const USERNAMES = ['ann', 'ben.w', 'jürgen', 'chiara', 'さくら', 'omar', 'user.6'];
const usernameOf = (n: number) => USERNAMES[n % USERNAMES.length] ?? '';

const contact = (n: number) => ({
  id: `u${n}`,
  username: usernameOf(n),
  phone_number: '+1 555 0100',
  avatar_url: `https://media.example/${randomOf(`u${n}`).hex(24)}.png`,
  last_active_at: 1700000300,
  created_at: 1600000000,
});

const attachment = (id: string, n: number) => ({
  id: `a-${id}-${n}`,
  type: n === 0 ? 'image/jpeg' : 'application/pdf',
  name: n === 0 ? 'Übersicht.jpg' : 'figures, final.pdf',
  url: `https://media.example/files/${randomOf(`${id}${n}`).hex(24)}`,
  bytes: 482_133 + n,
  ...(n === 0 && { width: 1600, height: 1200 }),
});

const message = (id: string, conversationId: string, n: number) => ({
  id,
  conversation_id: conversationId,
  contact: contact(n % USERNAMES.length),
  message: textOf(id, n),
  reactions: [
    { '👍': [usernameOf(n + 1), usernameOf(n + 2)] },
    { heart: [usernameOf(n + 3)] },
  ],
  attachments: Array.from({ length: 1 + (n % 2) }, (_, i) => attachment(id, i)),
  read_at: n % 3 === 0 ? null : 1700000400 + n,
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
    return JSON.stringify(page(id === null ? messages : messagesOf(id), limit));
  }
  const id = /^\/v1\/(?:messages|conversations)\/([^/]+)$/.exec(pathname)?.[1];
  const found = byId.get(id ?? '');
  return found === undefined ? null : JSON.stringify(found);
}
