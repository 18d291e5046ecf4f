import { expect, test } from 'vitest';
import { decoder, readObject } from '../../src/rest/decode.ts';
import { createReads } from '../../src/rest/reads.ts';

const counted = decoder('Counted', (wire) => ({
  id: wire.id('id'),
  count: wire.integer('count'),
}));

const read = (count: unknown) =>
  readObject(
    { id: 'a', count },
    counted,
    { call: { method: 'GET', route: '/counted' }, report: () => {} },
    (trouble) => trouble,
  );

test.each([0, -1, 2 ** 31 - 1])('an integer is what an Int can hold: %d', (count) => {
  expect(read(count)).toEqual({ id: 'a', count });
});

test.each([
  [2 ** 31, 'another number'],
  [1.5, 'another number'],
  ['1', 'a string'],
  [null, 'null'],
  [[1], 'a list'],
  [{}, 'an object'],
  [true, 'true or false'],
])('nothing else is an integer: %j', (count, found) => {
  expect(read(count)).toBe(`count is not an integer up to 2^31-1, but ${found}`);
});

test('a list cannot be ordered by a count, which is no time', () => {
  createReads({
    name: 'counted',
    decoder: counted,
    // @ts-expect-error: a list is ordered by timestamps.
    times: [['count']],
    toFilters: () => ({}),
  });
});
