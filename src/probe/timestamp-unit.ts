import type { WireObject } from '../rest/decode.ts';
import { type TimestampUnit, toMilliseconds, unitOf } from '../rest/timestamp.ts';
import { type Seen, toShaped } from './fields.ts';
import { type Found, unknown } from './found.ts';

/** This many timestamps cannot fit the same unit by chance. */
const MIN_CERTAIN = 5;

/** Open point: timestamp unit. Finds the one unit in which every timestamp is a plausible date; no timestamp fits two. */
export function findTimestampUnit(seen: readonly Seen[]): Found<TimestampUnit> {
  const stamps = toShaped(seen).flatMap(({ objects }) => objects.flatMap(timestampsOf));
  const numbers = stamps.filter((value) => Number.isSafeInteger(value)) as number[];
  if (stamps.length === 0) return unknown('no timestamp was seen');
  if (numbers.length < stamps.length) {
    return unknown(
      `${stamps.length - numbers.length} of ${stamps.length} timestamps are not integers`,
    );
  }
  const units = new Set(numbers.map(unitOf));
  const [unit] = units;
  if (units.size > 1 || unit == null) {
    return unknown(`${numbers.length} timestamps are not plausible dates in one unit`);
  }
  const years = numbers.map((value) =>
    new Date(toMilliseconds(value, unit)).getUTCFullYear(),
  );
  const [from, to] = [Math.min(...years), Math.max(...years)];
  return {
    finding: unit,
    words: unit,
    confidence: numbers.length >= MIN_CERTAIN ? 'certain' : 'likely',
    evidence: `as ${unit} since 1970, ${numbers.length} timestamps are dates in ${from === to ? from : `${from} to ${to}`}`,
  };
}

/** The fields that end in `_at`; null is not a timestamp. */
const timestampsOf = (object: WireObject): unknown[] =>
  Object.entries(object)
    .filter(([name, value]) => name.endsWith('_at') && value !== null)
    .map(([, value]) => value);
