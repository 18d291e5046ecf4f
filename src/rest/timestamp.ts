import { OperationalError } from './errors.ts';
import { type Facts, NO_FACTS } from './facts.ts';

/** Open point: timestamp unit. How many of each unit make a second. */
export const PER_SECOND = {
  seconds: 1,
  milliseconds: 1000,
  microseconds: 1_000_000,
} as const;

export type TimestampUnit = keyof typeof PER_SECOND;

export const TIMESTAMP_UNITS = Object.keys(PER_SECOND) as readonly TimestampUnit[];

/** Milliseconds since 1970. */
export const toMilliseconds = (timestamp: number, unit: TimestampUnit): number =>
  timestamp / (PER_SECOND[unit] / 1000);

/** A date in a messaging service lies between these. No number is such a date in two units. Unit: milliseconds since 1970. */
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2287, 0, 1);

/** The timestamps of these dates, by unit. */
const RANGES = TIMESTAMP_UNITS.map((unit) => ({
  unit,
  from: (EARLIEST / 1000) * PER_SECOND[unit],
  to: (LATEST / 1000) * PER_SECOND[unit],
}));

/** The unit in which a timestamp is a date from 2000 to 2286; null if there is none. */
export function unitOf(timestamp: number): TimestampUnit | null {
  for (let index = 0; index < RANGES.length; index += 1) {
    const { unit, from, to } = RANGES[index] as (typeof RANGES)[number];
    if (timestamp >= from && timestamp < to) return unit;
  }
  return null;
}

/** The service's unit is neither configured nor learned, or a timestamp is not a date in it. */
export class TimestampUnitError extends OperationalError {
  override readonly name = 'TimestampUnitError';
}

/** What a process knows of the unit of the service's timestamps. All operations share it. */
export interface Timestamps {
  /** The configured unit; else the one that all creations show that were learned from; else null. */
  unit(): TimestampUnit | null;
  /** Learns from the creation of an object, if it has one. No client can write that timestamp, as it can `archived_at`. */
  learn(createdAt: number | undefined): void;
  /**
   * A timestamp of an object as an ISO 8601 date-time in UTC; null stays null. Throws TimestampUnitError if the unit is
   * unknown. If none is configured, the object's creation shows it, so that all replicas return the same; or the timestamp
   * itself, if it is no date in that unit.
   */
  toIso(timestamp: number | null, createdAt: number): string | null;
}

/** Under this key, processes share the unit that creations have shown to one of them. */
const UNIT_FACT = 'timestamp unit';

export function createTimestamps(
  configured: TimestampUnit | null,
  facts: Facts = NO_FACTS,
): Timestamps {
  let unit = configured;
  /** Creations showed different units, so no single one is the service's. */
  let isMixed = false;
  /** Returns whether this is news. */
  function found(shown: TimestampUnit): boolean {
    if (configured !== null || isMixed || shown === unit) return false;
    isMixed = unit !== null;
    unit = isMixed ? null : shown;
    return true;
  }
  facts.listen((key, fact) => {
    const shown = TIMESTAMP_UNITS.find((one) => one === fact);
    if (key === UNIT_FACT && shown !== undefined) found(shown);
  });
  return {
    unit: () => unit,
    learn(createdAt) {
      if (createdAt === undefined || configured !== null || isMixed) return;
      const shown = unitOf(createdAt);
      if (shown !== null && found(shown)) facts.share(UNIT_FACT, shown);
    },
    toIso(timestamp, createdAt) {
      if (timestamp === null) return null;
      if (configured !== null) return writeIso(timestamp, configured);
      const shown = unitOf(createdAt);
      const own = shown !== null && isDate(timestamp, shown) ? shown : unitOf(timestamp);
      return writeIso(timestamp, own ?? shown ?? unit);
    },
  };
}

/** RFC 3339 has years of four digits. Unit: milliseconds since 1970. */
const FIRST_DATE = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_DATE = Date.parse('9999-12-31T23:59:59.999Z');

function isDate(timestamp: number, unit: TimestampUnit): boolean {
  const milliseconds = toMilliseconds(timestamp, unit);
  return milliseconds >= FIRST_DATE && milliseconds <= LAST_DATE;
}

function writeIso(timestamp: number, unit: TimestampUnit | null): string {
  if (unit === null) {
    throw new TimestampUnitError(
      'The size of this timestamp does not show its unit. Set TIMESTAMP_UNIT, or select the integer field.',
    );
  }
  if (isDate(timestamp, unit))
    return new Date(toMilliseconds(timestamp, unit)).toISOString();
  throw new TimestampUnitError(
    `A timestamp, read as ${unit}, is not a valid date. If this is not the service's unit, set TIMESTAMP_UNIT.`,
  );
}
