import type { Drift, DriftCount } from '../rest/drift.ts';
import { createCounter } from './counts.ts';
import type { HostLogger } from './host-logger.ts';

/** Beyond this many fields, all others are counted as one: a service could send new names without end. */
const MAX_FIELDS = 1000;
/** The same of values of headers, so that these leave room for fields. */
const MAX_VALUES = 100;
const OTHERS = '(others)';
/** A service could also send names of a megabyte. Unit: bytes. */
const MAX_NAME = 100;

/** A copy, because a part of a text keeps the whole text in memory. */
const shorten = (name: string): string =>
  Buffer.byteLength(name) > MAX_NAME
    ? Buffer.from(name).toString('utf8', 0, MAX_NAME)
    : name;

const DIFFERS = 'the service differs from its interface';
const ENDS = 'the service announces the end of a call';
const WORDS = { unknown: DIFFERS, missing: DIFFERS, deprecation: ENDS, sunset: ENDS };

/** Counts every difference, and logs each field when it is first seen. */
export function createDriftLog(log: HostLogger) {
  const fields = new Map<string, DriftCount>();
  const values = new Map<string, DriftCount>();
  const byKind = createCounter();
  return {
    report(sent: Drift): void {
      const drift = { ...sent, field: shorten(sent.field) };
      byKind.increment(drift.object, drift.kind);
      const key = `${drift.object}.${drift.field} ${drift.kind}`;
      const isValue = WORDS[drift.kind] === ENDS;
      const [counts, most] = isValue ? [values, MAX_VALUES] : [fields, MAX_FIELDS];
      const isFull = counts.size >= most && !counts.has(key);
      const counted = isFull ? { ...drift, field: OTHERS } : drift;
      const countedKey = isFull ? `${drift.object}.${OTHERS} ${drift.kind}` : key;
      const { count } = counts.get(countedKey) ?? { count: 0 };
      counts.set(countedKey, { ...counted, count: count + 1 });
      if (count === 0) log.warn(counted, WORDS[drift.kind]);
    },
    counts: (): readonly DriftCount[] => [...fields.values(), ...values.values()],
    /** By object and kind. The names of fields are the service's text, so they cannot be labels of a metric. */
    byKind: byKind.read,
  };
}
