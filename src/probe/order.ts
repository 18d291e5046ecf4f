import { PROBED_LISTS } from '../messaging/probed.ts';
import type { WireObject } from '../rest/decode.ts';
import { type Confidence, type Found, unknown } from './found.ts';
import type { FirstPage } from './lists.ts';

type Order = 'newest' | 'oldest' | 'id' | 'id descending';

/** By the name of a list, how it is sorted, and by the name and "By", the field; null if no order was seen. */
type OrderFinding = Readonly<Record<string, string | null>>;

interface Sorted {
  readonly order: Order;
  readonly by: string;
  readonly items: number;
}

/** Three items are sorted by chance one time in three; eight almost never. */
const MIN_ITEMS = 3;
const MIN_LIKELY = 5;
const MIN_CERTAIN = 8;

/** Open point: order of lists. Judges one page of each list, because a list may change between two calls. */
export function findOrder(pages: readonly FirstPage[]): Found<OrderFinding> {
  const all = PROBED_LISTS.map((list) => {
    const page = pages.find((one) => one.list.name === list.name);
    return { name: list.name, sorted: page === undefined ? null : sortedBy(page) };
  });
  const found = all.flatMap(({ sorted }) => sorted ?? []);
  if (found.length === 0) return unknown(whyUnknown(pages));
  const orders = new Set(found.map(({ order }) => order));
  return {
    finding: Object.fromEntries(
      all.flatMap(({ name, sorted }) => [
        [name, sorted?.order ?? null],
        [`${name}By`, sorted?.by ?? null],
      ]),
    ),
    words:
      orders.size === 1
        ? toWords(found[0]?.order)
        : all.map(({ name, sorted }) => `${name} ${toWords(sorted?.order)}`).join(', '),
    confidence: confidenceFor(Math.max(...found.map(({ items }) => items))),
    evidence: all
      .map(({ name, sorted }) =>
        sorted === null
          ? `${name}: no order seen`
          : `${sorted.items} ${name} are sorted by ${sorted.by}`,
      )
      .join('; '),
  };
}

const whyUnknown = (pages: readonly FirstPage[]): string =>
  pages.every(({ items }) => items.length < MIN_ITEMS)
    ? `fewer than ${MIN_ITEMS} items in either list`
    : 'neither times nor ids are sorted in either list';

function toWords(order: Order | undefined): string {
  if (order === undefined) return 'unknown';
  return order.startsWith('id') ? `by ${order}` : `${order} first`;
}

function confidenceFor(items: number): Confidence {
  if (items >= MIN_CERTAIN) return 'certain';
  return items >= MIN_LIKELY ? 'likely' : 'guess';
}

/** Checks times before ids, because ids that grow with time are sorted too. */
function sortedBy(page: FirstPage): Sorted | null {
  const items = page.items.length;
  if (items < MIN_ITEMS) return null;
  for (const fields of page.list.times) {
    const [by = ''] = fields;
    const direction = directionOf(page.items.map((item) => timeOf(item, fields)));
    if (direction !== null) {
      return { order: direction === 'up' ? 'oldest' : 'newest', by, items };
    }
  }
  const direction = directionOf(toComparable(page.ids));
  if (direction === null) return null;
  return { order: direction === 'up' ? 'id' : 'id descending', by: 'id', items };
}

/** The first of the fields that has a value. */
function timeOf(item: WireObject, fields: readonly string[]): number | null {
  const value = fields.map((field) => item[field]).find((at) => at != null);
  return typeof value === 'number' ? value : null;
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
