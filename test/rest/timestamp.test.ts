import { describe, expect, test } from 'vitest';
import {
  createTimestamps,
  PER_SECOND,
  parseDateTime,
  TIMESTAMP_UNITS,
  TimestampUnitError,
  toTimestamp,
} from '../../src/rest/timestamp.ts';

const SECONDS = 1_772_357_400;
const ISO = '2026-03-01T09:30:00.000Z';

describe('a timestamp as a date-time', () => {
  const { toIso } = createTimestamps(null);

  test('has the unit that its size shows, from 2000 to 2286', () => {
    for (const iso of [
      '2001-01-01T00:00:00.000Z',
      '2001-09-09T01:46:40.000Z',
      '2038-01-19T03:14:08.000Z',
      // 2^53-1 microseconds are a day in June 2255.
      '2255-06-05T00:00:00.000Z',
      '2286-12-31T23:59:59.000Z',
    ])
      for (const unit of TIMESTAMP_UNITS) {
        const created = (Date.parse(iso) / 1000) * PER_SECOND[unit];
        if (Number.isSafeInteger(created)) expect(toIso(created, created)).toBe(iso);
      }
  });

  test.each<
    [what: string, timestamp: number | null, created: number, iso: string | null]
  >([
    ['null has none', null, 0, null],
    ['a small one', SECONDS, SECONDS * 1000, '1970-01-21T12:19:17.400Z'],
    ['zero', 0, SECONDS, '1970-01-01T00:00:00.000Z'],
    ['where the creation shows none, its own size may', SECONDS, 0, ISO],
    ['after the year 9999 in that unit, its own size', SECONDS * 1000, SECONDS, ISO],
  ])("has the unit of its object's creation: %s", (_, timestamp, created, iso) => {
    expect(toIso(timestamp, created)).toBe(iso);
  });

  test('has the configured unit, whatever its size', () => {
    expect(createTimestamps('microseconds').toIso(SECONDS * 1000, SECONDS * 1000)).toBe(
      '1970-01-21T12:19:17.400Z',
    );
  });

  test.each([253_402_300_800, -62_167_219_201, Number.MAX_SAFE_INTEGER])(
    'is an error if its year has not four digits: %i',
    (timestamp) => {
      const { toIso } = createTimestamps('seconds');

      expect(() => toIso(timestamp, SECONDS)).toThrow(TimestampUnitError);
    },
  );

  test('is an error where no size shows the unit', () => {
    expect(() => toIso(86_400, 86_400)).toThrow(/Set TIMESTAMP_UNIT/);
  });
});

describe('a date-time as a timestamp', () => {
  test.each([
    ['2026-03-01T09:30:00Z', 'milliseconds', SECONDS * 1000],
    ['2026-03-01t09:30:00z', 'milliseconds', SECONDS * 1000],
    ['2026-03-01T10:30:00+01:00', 'milliseconds', SECONDS * 1000],
    ['2026-03-01T04:00:00.5-05:30', 'milliseconds', SECONDS * 1000 + 500],
    ['2026-03-01T09:30:00.1239Z', 'milliseconds', SECONDS * 1000 + 123],
    ['2026-03-01T09:30:00.999Z', 'seconds', SECONDS],
    ['2026-03-01T09:30:00.1234567Z', 'microseconds', SECONDS * 1_000_000 + 123_456],
    ['1969-12-31T23:59:59.250Z', 'milliseconds', -750],
    ['0000-01-01T00:00:00Z', 'milliseconds', -62_167_219_200_000],
    ['9999-12-31T23:59:59.999Z', 'milliseconds', 253_402_300_799_999],
  ] as const)('%s in %s is %i', (text, unit, expected) => {
    const instant = parseDateTime(text);

    expect(instant && toTimestamp(instant, unit)).toBe(expected);
  });

  test('is refused if no integer of the unit can hold it', () => {
    const instant = parseDateTime('2300-01-01T00:00:00Z') ?? expect.unreachable();

    expect(() => toTimestamp(instant, 'microseconds')).toThrow(/in microseconds/);
  });

  test.each([
    '2026-03-01',
    '2026-03-01T09:30:00',
    '2026-03-01T09:30Z',
    '2026-03-01 09:30:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T23:59:60Z',
    '2026-03-01T09:30:00.Z',
    '2026-03-01T09:30:00+24:00',
    '2026-03-01T09:30:00+0100',
    '+002026-03-01T09:30:00Z',
    ' 2026-03-01T09:30:00Z',
    '2026-03-01T09:30:00Z\n',
    '',
    'now',
  ])('needs a date, a time and a zone: %j has not', (text) => {
    expect(parseDateTime(text)).toBeNull();
  });
});
