/** Open point: timestamp unit and epoch. What a service may count time in, from 1970 on. */
const PER_MILLISECOND = { seconds: 0.001, milliseconds: 1, microseconds: 1000 } as const;

export type TimestampUnit = keyof typeof PER_MILLISECOND;

export const TIMESTAMP_UNITS = Object.keys(PER_MILLISECOND) as readonly TimestampUnit[];

/** The service's unit is not configured, or a timestamp is no date in it. */
export class TimestampUnitError extends Error {
  override readonly name = 'TimestampUnitError';
}

/** A timestamp of the service as an ISO 8601 date-time in UTC; null stays null. */
export type ToIso = (timestamp: number | null) => string | null;

/** `unit` null: every timestamp but null throws TimestampUnitError. */
export function createToIso(unit: TimestampUnit | null): ToIso {
  return (timestamp) => {
    if (timestamp === null) return null;
    if (unit === null) {
      throw new TimestampUnitError(
        'The unit of timestamps is not known: set TIMESTAMP_UNIT, or read the integer.',
      );
    }
    const date = new Date(timestamp / PER_MILLISECOND[unit]);
    if (!Number.isNaN(date.getTime())) return date.toISOString();
    throw new TimestampUnitError(
      `No date has this many ${unit}: look at TIMESTAMP_UNIT.`,
    );
  };
}
