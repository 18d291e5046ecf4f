import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { decoder, readObject } from '../../src/rest/decode.ts';
import { createReads } from '../../src/rest/reads.ts';

const SOURCE = {
  call: { method: 'GET', route: '/counted' },
  report: () => {},
} as const;

const counted = decoder('Counted', (wire) => ({
  id: wire.id('id'),
  count: wire.integer('count'),
}));

const read = (count: unknown) =>
  readObject({ id: 'a', count }, counted, SOURCE, (trouble) => trouble);

test.each([0, -1, 2 ** 31 - 1])('an integer is what an Int can hold: %d', (count) => {
  expect(read(count)).toEqual({ id: 'a', count });
});

test.each([
  [2 ** 31, 'a number'],
  [Infinity, 'a number'],
  [1.5, 'a fraction'],
  ['1', 'a string'],
  [null, 'null'],
  [[1], 'a list'],
  [{}, 'an object'],
  [true, 'true or false'],
])('nothing else is an integer: %j', (count, found) => {
  expect(read(count)).toBe(`count is not an integer up to 2^31-1, but ${found}`);
});

// security: many-messages
test('a field that is read later keeps nothing else of its object', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const lazy = decoder('Lazy', (wire) => ({
    list: wire.later('list', (part, field) => part.list(field)),
  }));
  const decode = (sent: { list: number[] }) => ({
    decoded: readObject(sent, lazy, SOURCE, () => null),
    rest: new WeakRef(sent),
  });
  const { decoded, rest } = decode({ list: [1] });
  await setImmediate();
  collect();

  expect(rest.deref()).toBeUndefined();
  expect(decoded?.list.value).toEqual([1]);
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
