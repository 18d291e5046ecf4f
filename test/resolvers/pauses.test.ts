import { Kind } from 'graphql';
import { expect, test } from 'vitest';
import { createPauses } from '../../src/resolvers/pauses.ts';

const FIELD = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'messages' } } as const;

/** Pauses of an operation whose field has a hundred items of this size each. */
function pausesOf(perItem: number) {
  const pauses = createPauses();
  pauses.expect({
    objects: 100 * perItem,
    links: 0,
    perItem: new Map([[FIELD, perItem]]),
  });
  return pauses;
}

const ITEMS = Array.from({ length: 100 }, (_, index) => index);

test('a small answer waits for nothing', () => {
  const pauses = pausesOf(100);

  expect(pauses.next()).toBeUndefined();
  expect(pauses.pace(ITEMS, [FIELD])).toBe(ITEMS);
});

test('the items of a large answer are completed in several turns of the event loop, in their order', async () => {
  const done: number[] = [];
  const perTurn: number[] = [];

  const all = pausesOf(1000)
    .pace(ITEMS, [FIELD])
    .map(async (item) => done.push(await item));
  while (done.length < ITEMS.length) {
    await new Promise((resolve) => setImmediate(resolve));
    perTurn.push(done.length);
  }
  await Promise.all(all);

  expect(done).toEqual(ITEMS);
  expect(perTurn.filter((count, at) => count !== perTurn[at - 1])).toEqual([
    20, 40, 60, 80, 100,
  ]);
});

test('two parts of a large answer never share a turn', async () => {
  const pauses = pausesOf(1000);
  const done: string[] = [];

  const first = pauses.next()?.then(() => done.push('first'));
  const second = pauses.next()?.then(() => done.push('second'));
  await first;
  const afterFirst = [...done];
  await second;

  expect(afterFirst).toEqual(['first']);
  expect(done).toEqual(['first', 'second']);
});
