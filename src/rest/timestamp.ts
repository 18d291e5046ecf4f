import { BadInputError, OperationalError } from './errors.ts';

/** Open point: timestamp unit. How many of each unit make a second. */
export const PER_SECOND = {
  seconds: 1,
  milliseconds: 1000,
  microseconds: 1_000_000,
} as const;

declare const IS_TIMESTAMP: unique symbol;
/** A time in the service's unit. A type of its own, because no other number, such as a count, says when something was. */
export type Timestamp = number & { readonly [IS_TIMESTAMP]: true };

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

/** The service's unit is not configured, and no timestamp shows it; or a timestamp is not a date in it. */
export class TimestampUnitError extends OperationalError {
  readonly code = 'NOT_CONFIGURED';
}

/** How timestamps are read. It depends on nothing that was read before: objects of another caller may have other units. */
export interface Timestamps {
  /** The configured unit; null if there is none. */
  readonly unit: TimestampUnit | null;
  /**
   * A timestamp of an object as an ISO 8601 date-time in UTC; null stays null. Unless configured, its unit is that of
   * `createdAt`, which clients cannot write, unlike `archived_at`; if the timestamp is no date in that unit, its own size shows
   * it. Throws TimestampUnitError if nothing does.
   */
  toIso(timestamp: number | null, createdAt: number): string | null;
}

export const createTimestamps = (unit: TimestampUnit | null): Timestamps => ({
  unit,
  toIso(timestamp, createdAt) {
    if (timestamp === null) return null;
    if (unit !== null) return writeIso(timestamp, unit);
    const shown = unitOf(createdAt);
    const own = shown !== null && isDate(timestamp, shown) ? shown : unitOf(timestamp);
    return writeIso(timestamp, own ?? shown);
  },
});

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

/** A point in time. */
export interface Instant {
  /** Whole seconds since 1970. */
  readonly seconds: number;
  /** The rest, from 0 to 999,999. */
  readonly microseconds: number;
}

const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

/** Reads a date-time of RFC 3339; null for any other text, for a date that no calendar has, and for a leap second. */
export function parseDateTime(text: string): Instant | null {
  const [, local, fraction = '', zone] = DATE_TIME.exec(text.toUpperCase()) ?? [];
  const milliseconds = Date.parse(`${local}${zone}`);
  if (local === undefined || Number.isNaN(milliseconds)) return null;
  // `Date` reads the 31st of April as the 1st of May, and writes it so.
  if (!new Date(`${local}Z`).toISOString().startsWith(local)) return null;
  return {
    seconds: milliseconds / 1000,
    microseconds: Number(fraction.padEnd(6, '0').slice(0, 6)),
  };
}

/** A point in time as a timestamp of the service. Digits that are too fine for its unit are cut. */
export function toTimestamp(
  { seconds, microseconds }: Instant,
  unit: TimestampUnit,
): number {
  const perSecond = PER_SECOND[unit];
  const rest = Math.floor((microseconds * perSecond) / PER_SECOND.microseconds);
  const timestamp = seconds * perSecond + rest;
  if (Number.isSafeInteger(timestamp)) return timestamp;
  throw new BadInputError(
    `This date-time is too far from 1970: in ${unit}, it is above 2^53-1, which no Timestamp is.`,
  );
}
