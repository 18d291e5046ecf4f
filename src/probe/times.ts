import { PROBED_LISTS } from '../messaging/probed.ts';
import type { WireObject } from '../rest/decode.ts';
import { type TimestampUnit, toMilliseconds, unitOf } from '../rest/timestamp.ts';
import { type SeenItems, toShaped } from './fields.ts';
import { type Found, unknown } from './found.ts';
import type { ListPage } from './lists.ts';

/** Open point: timestamp unit. Finds the one unit in which every timestamp is a plausible date; no timestamp fits two. */
export function findTimestampUnit(seen: readonly SeenItems[]): Found<TimestampUnit> {
  const stamps = toShaped(seen)
    .flatMap(({ objects }) => objects.flatMap(Object.entries<unknown>))
    .filter(([name, value]) => name.endsWith('_at') && value !== null)
    .map(([, value]) => value);
  const numbers = stamps.filter((value) => Number.isSafeInteger(value)) as number[];
  if (stamps.length === 0) return unknown('no timestamp was seen');
  if (numbers.length === 0) {
    return unknown(`none of ${stamps.length} timestamps is an integer`);
  }
  const [unit, ...others] = new Set(numbers.map(unitOf));
  if (others.length > 0 || unit == null) {
    return unknown(`${numbers.length} timestamps are not plausible dates in one unit`);
  }
  const years = numbers.map((value) =>
    new Date(toMilliseconds(value, unit)).getUTCFullYear(),
  );
  const [from, to] = [Math.min(...years), Math.max(...years)];
  return {
    finding: unit,
    words: unit,
    // Five timestamps cannot fit the same unit by chance.
    confidence: numbers.length >= 5 ? 'certain' : 'likely',
    evidence: `as ${unit} since 1970, ${numbers.length} timestamps are dates in ${from === to ? from : `${from} to ${to}`}`,
  };
}

/** Fewer items are sorted by chance. */
const MIN_ITEMS = 3;

/**
 * Open point: order of lists. Judges one page of each list, because a list may change between two calls. Finds, by the name
 * of a list, how it is sorted, and by the name and "By", the field; null if no order was seen.
 */
export function findOrder(
  pages: readonly ListPage[],
): Found<Readonly<Record<string, string | null>>> {
  const all = PROBED_LISTS.map((list) => {
    const page = pages.find((one) => one.list === list);
    return {
      name: list.name,
      items: page?.items.length ?? 0,
      ...(page && sortedBy(page)),
    };
  });
  const found = all.filter(({ order }) => order !== undefined);
  if (found.length === 0) {
    return unknown(
      all.every(({ items }) => items < MIN_ITEMS)
        ? `fewer than ${MIN_ITEMS} items in either list`
        : 'neither times nor ids are sorted in either list',
    );
  }
  const items = Math.max(...found.map((one) => one.items));
  const isOne = new Set(found.map(({ order }) => order)).size === 1;
  return {
    finding: Object.fromEntries(
      all.flatMap(({ name, order = null, by = null }) => [
        [name, order],
        [`${name}By`, by],
      ]),
    ),
    words: isOne
      ? orderInWords(found[0]?.order)
      : all.map(({ name, order }) => `${name} ${orderInWords(order)}`).join(', '),
    // Three items are sorted by chance one time in three; eight almost never.
    confidence: items >= 8 ? 'certain' : items >= 5 ? 'likely' : 'guess',
    evidence: all
      .map(({ name, by, items }) =>
        by === undefined
          ? `${name}: no order seen`
          : `${items} ${name} are sorted by ${by}`,
      )
      .join('; '),
  };
}

function orderInWords(order = 'unknown'): string {
  if (order === 'unknown') return order;
  return order.startsWith('id') ? `by ${order}` : `${order} first`;
}

/** Checks times before ids, because ids that grow with time are sorted too. */
function sortedBy({ items, ids, list }: ListPage) {
  if (items.length < MIN_ITEMS) return null;
  for (const fields of list.wireTimes) {
    const direction = directionOf(items.map((item) => timeOf(item, fields)));
    if (direction === null) continue;
    return { order: direction === 'up' ? 'oldest' : 'newest', by: fields[0] };
  }
  // Ids are compared as numbers if all of them are.
  const areNumbers = ids.every((id) => /^\d{1,15}$/.test(id));
  const direction = directionOf(areNumbers ? ids.map(Number) : ids);
  if (direction === null) return null;
  return { order: direction === 'up' ? 'id' : 'id descending', by: 'id' };
}

/** The first of the fields that has a value. */
function timeOf(item: WireObject, fields: readonly string[]): number | null {
  const value = fields.map((field) => item[field]).find((at) => at != null);
  return typeof value === 'number' ? value : null;
}

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
