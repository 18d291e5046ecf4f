import type { WireObject } from '../rest/decode.ts';
import { type Found, unknown } from './found.ts';
import { isObject } from './list.ts';

/** Open point 4. */
export type TimestampUnit = 'seconds' | 'milliseconds' | 'microseconds';

const PER_SECOND: Record<TimestampUnit, number> = {
  seconds: 1,
  milliseconds: 1_000,
  microseconds: 1_000_000,
};
/** What a date in a messaging service may be: in these years, counted from 1970. Unit: seconds. */
const EARLIEST = Date.UTC(2000, 0, 1) / 1000;
const LATEST = Date.UTC(2101, 0, 1) / 1000;
/** So many agreeing timestamps leave no doubt. */
const ENOUGH = 5;

/** The one unit in which every timestamp seen is a plausible date; the units are too far apart for two to fit. */
export function findUnit(items: readonly WireObject[]): Found<TimestampUnit> {
  const stamps = items.flatMap(timestampsOf);
  const numbers = stamps.filter((value) => Number.isSafeInteger(value)) as number[];
  if (stamps.length === 0) return unknown('no timestamp was seen');
  if (numbers.length < stamps.length) {
    return unknown(
      `${stamps.length - numbers.length} of ${stamps.length} timestamps are no integers`,
    );
  }
  const units = new Set(numbers.map(toUnit));
  const [unit = null] = units;
  if (units.size > 1 || unit === null) {
    return unknown(`${numbers.length} timestamps are not plausible dates in one unit`);
  }
  const years = numbers.map((value) => toYear(value / PER_SECOND[unit]));
  const [from, to] = [Math.min(...years), Math.max(...years)];
  return {
    finding: unit,
    words: unit,
    confidence: numbers.length >= ENOUGH ? 'certain' : 'likely',
    evidence: `read so, counted from 1970, ${numbers.length} timestamps lie in ${from === to ? from : `${from} to ${to}`}`,
  };
}

function toUnit(value: number): TimestampUnit | null {
  const units = Object.entries(PER_SECOND) as [TimestampUnit, number][];
  const found = units.find(
    ([, scale]) => value >= EARLIEST * scale && value < LATEST * scale,
  );
  return found?.[0] ?? null;
}

const toYear = (seconds: number): number => new Date(seconds * 1000).getUTCFullYear();

/** Every field that ends in `_at`, those of the contact too; null is no timestamp yet. */
function timestampsOf(item: WireObject): unknown[] {
  const contact = isObject(item.contact) ? item.contact : {};
  return [item, contact]
    .flatMap(Object.entries)
    .filter(([name, value]) => name.endsWith('_at') && value !== null)
    .map(([, value]) => value);
}
