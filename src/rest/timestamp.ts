import { OperationalError } from './errors.ts';

/** Open point: timestamp unit. How many of each unit make a millisecond. */
const PER_MILLISECOND = { seconds: 0.001, milliseconds: 1, microseconds: 1000 } as const;

export type TimestampUnit = keyof typeof PER_MILLISECOND;

export const TIMESTAMP_UNITS = Object.keys(PER_MILLISECOND) as readonly TimestampUnit[];

/** Milliseconds since 1970. */
export const toMilliseconds = (timestamp: number, unit: TimestampUnit): number =>
  timestamp / PER_MILLISECOND[unit];

/** The service's unit is not configured, or a timestamp is not a date in it. */
export class TimestampUnitError extends OperationalError {
  override readonly name = 'TimestampUnitError';
}

/** A timestamp of the service as an ISO 8601 date-time in UTC; null stays null. */
export type ToIso = (timestamp: number | null) => string | null;

/** With `unit` null, every timestamp except null throws TimestampUnitError. */
export function createToIso(unit: TimestampUnit | null): ToIso {
  return (timestamp) => {
    if (timestamp === null) return null;
    if (unit === null) {
      throw new TimestampUnitError(
        'The unit of timestamps is unknown. Set TIMESTAMP_UNIT, or select the integer field.',
      );
    }
    const date = new Date(toMilliseconds(timestamp, unit));
    if (!Number.isNaN(date.getTime())) return date.toISOString();
    throw new TimestampUnitError(
      `A timestamp, read as ${unit}, is not a valid date. Check TIMESTAMP_UNIT.`,
    );
  };
}
