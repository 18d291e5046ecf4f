import type { WireObject } from '../rest/decode.ts';
import { type Found, unknown } from './found.ts';
import type { ListPage } from './list.ts';

type Order = 'newest' | 'oldest' | 'id' | 'id descending';

/** Open point 9: what each list is sorted by; null where no order shows. */
export interface OrderFinding {
  readonly messages: Order | null;
  readonly conversations: Order | null;
  /** Which time of a conversation counts. */
  readonly conversationsBy: string | null;
}

interface Sorted {
  readonly order: Order;
  readonly by: string;
  readonly items: number;
}

type Key = (item: WireObject) => string | number | null;

/** Three items are in some order by chance one time in three; eight hardly ever are. */
const FEWEST = 3;
const FEW = 5;
const ENOUGH = 8;

const time =
  (...fields: readonly string[]): Key =>
  (item) => {
    const value = fields.map((field) => item[field]).find((at) => at != null);
    return typeof value === 'number' ? value : null;
  };

const MESSAGE_TIMES: Record<string, Key> = {
  created_at: time('created_at'),
  updated_at: time('updated_at', 'created_at'),
};
const CONVERSATION_TIMES: Record<string, Key> = {
  last_active_at: time('last_active_at', 'created_at'),
  created_at: time('created_at'),
  last_opened_at: time('last_opened_at', 'created_at'),
};

/** The order of one page of each list; items may come and go between calls, within one answer they do not. */
export function findOrder(
  messages: ListPage | null,
  conversations: ListPage | null,
): Found<OrderFinding> {
  const ofMessages = sortedBy(messages, MESSAGE_TIMES);
  const ofConversations = sortedBy(conversations, CONVERSATION_TIMES);
  const seen = [ofMessages, ofConversations].filter((sorted) => sorted !== null);
  if (seen.length === 0) {
    const most = Math.max(messages?.ids.length ?? 0, conversations?.ids.length ?? 0);
    return unknown(
      most < FEWEST
        ? `fewer than ${FEWEST} items in either list`
        : 'neither times nor ids are sorted in either list',
    );
  }
  const describe = (name: string, sorted: Sorted | null) =>
    sorted === null
      ? `${name}: no order seen`
      : `${sorted.items} ${name} are sorted by ${sorted.by}`;
  const orders = new Set(seen.map(({ order }) => order));
  return {
    finding: {
      messages: ofMessages?.order ?? null,
      conversations: ofConversations?.order ?? null,
      conversationsBy: ofConversations?.by ?? null,
    },
    words:
      orders.size === 1
        ? toWords(seen[0]?.order)
        : `messages ${toWords(ofMessages?.order)}, conversations ${toWords(ofConversations?.order)}`,
    confidence: confidenceFor(Math.max(...seen.map(({ items }) => items))),
    evidence: `${describe('messages', ofMessages)}; ${describe('conversations', ofConversations)}`,
  };
}

const toWords = (order: Order | undefined): string => {
  if (order === undefined) return 'unknown';
  return order.startsWith('id') ? `by ${order}` : `${order} first`;
};

function confidenceFor(items: number) {
  if (items >= ENOUGH) return 'certain';
  return items >= FEW ? 'likely' : 'guess';
}

/** By a time if one is sorted, or else by id: ids that grow with time are sorted too. */
function sortedBy(page: ListPage | null, times: Record<string, Key>): Sorted | null {
  if (page === null || page.items.length < FEWEST) return null;
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

/** Numbers in text sort as numbers do, where all of them are such. */
const toComparable = (ids: readonly string[]): (string | number)[] =>
  ids.every((id) => /^\d{1,15}$/.test(id)) ? ids.map(Number) : [...ids];

/** Null where values are missing, all the same, or go both ways. */
function directionOf(values: readonly (string | number | null)[]): 'up' | 'down' | null {
  const ways = new Set<'up' | 'down'>();
  for (const [index, value] of values.entries()) {
    const before = index === 0 ? value : values[index - 1];
    if (value == null || before == null) return null;
    if (value !== before) ways.add(value > before ? 'up' : 'down');
  }
  const [way = null] = ways;
  return ways.size === 1 ? way : null;
}
