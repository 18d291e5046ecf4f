import { BadInputError } from './errors.ts';
import { PER_SECOND, type TimestampUnit } from './timestamp.ts';

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
