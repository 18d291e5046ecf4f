import type { WireObject } from '../rest/decode.ts';
import { type Confidence, type Found, unknown } from './found.ts';
import type { FirstPages, ListPage } from './lists.ts';

type Order = 'newest' | 'oldest' | 'id' | 'id descending';

/** How each list is sorted; null if no order was seen. */
interface OrderFinding {
  readonly messages: Order | null;
  readonly conversations: Order | null;
  /** The field that conversations are sorted by. */
  readonly conversationsBy: string | null;
}

interface Sorted {
  readonly order: Order;
  readonly by: string;
  readonly items: number;
}

type Key = (item: WireObject) => string | number | null;

/** Three items are sorted by chance one time in three; eight almost never. */
const MIN_ITEMS = 3;
const MIN_LIKELY = 5;
const MIN_CERTAIN = 8;

const MESSAGE_TIMES: Record<string, Key> = {
  created_at: time('created_at'),
  updated_at: time('updated_at', 'created_at'),
};
const CONVERSATION_TIMES: Record<string, Key> = {
  last_active_at: time('last_active_at', 'created_at'),
  created_at: time('created_at'),
  last_opened_at: time('last_opened_at', 'created_at'),
};

/** Open point: order of lists. Judges one page of each list, because a list may change between two calls. */
export function findOrder(pages: FirstPages): Found<OrderFinding> {
  const messages = sortedBy(pages.messages, MESSAGE_TIMES);
  const conversations = sortedBy(pages.conversations, CONVERSATION_TIMES);
  const seen = [messages, conversations].filter((sorted) => sorted !== null);
  if (seen.length === 0) return unknown(whyUnknown(pages));
  const orders = new Set(seen.map(({ order }) => order));
  return {
    finding: {
      messages: messages?.order ?? null,
      conversations: conversations?.order ?? null,
      conversationsBy: conversations?.by ?? null,
    },
    words:
      orders.size === 1
        ? toWords(seen[0]?.order)
        : `messages ${toWords(messages?.order)}, conversations ${toWords(conversations?.order)}`,
    confidence: confidenceFor(Math.max(...seen.map(({ items }) => items))),
    evidence: `${toEvidence('messages', messages)}; ${toEvidence('conversations', conversations)}`,
  };
}

const whyUnknown = (pages: FirstPages): string =>
  Object.values(pages).every((page) => page === null || page.items.length < MIN_ITEMS)
    ? `fewer than ${MIN_ITEMS} items in either list`
    : 'neither times nor ids are sorted in either list';

function toWords(order: Order | undefined): string {
  if (order === undefined) return 'unknown';
  return order.startsWith('id') ? `by ${order}` : `${order} first`;
}

const toEvidence = (name: string, sorted: Sorted | null): string =>
  sorted === null
    ? `${name}: no order seen`
    : `${sorted.items} ${name} are sorted by ${sorted.by}`;

function confidenceFor(items: number): Confidence {
  if (items >= MIN_CERTAIN) return 'certain';
  return items >= MIN_LIKELY ? 'likely' : 'guess';
}

/** Checks times before ids, because ids that grow with time are sorted too. */
function sortedBy(page: ListPage | null, times: Record<string, Key>): Sorted | null {
  if (page === null || page.items.length < MIN_ITEMS) return null;
  const items = page.items.length;
  for (const [by, key] of Object.entries(times)) {
    const direction = directionOf(page.items.map(key));
    if (direction !== null) {
      return { order: direction === 'up' ? 'oldest' : 'newest', by, items };
    }
  }
  const direction = directionOf(toComparable(page.ids));
  if (direction === null) return null;
  return { order: direction === 'up' ? 'id' : 'id descending', by: 'id', items };
}

/** The first of the fields that has a value. */
function time(...fields: readonly string[]): Key {
  return (item) => {
    const value = fields.map((field) => item[field]).find((at) => at != null);
    return typeof value === 'number' ? value : null;
  };
}

/** Compares ids as numbers if all of them are. */
const toComparable = (ids: readonly string[]): (string | number)[] =>
  ids.every((id) => /^\d{1,15}$/.test(id)) ? ids.map(Number) : [...ids];

/** Null if a value is missing, all are equal, or they are not sorted. */
function directionOf(values: readonly (string | number | null)[]): 'up' | 'down' | null {
  const directions = new Set<'up' | 'down'>();
  for (const [index, value] of values.entries()) {
    const before = index === 0 ? value : values[index - 1];
    if (value == null || before == null) return null;
    if (value !== before) directions.add(value > before ? 'up' : 'down');
  }
  const [direction = null] = directions;
  return directions.size === 1 ? direction : null;
}
