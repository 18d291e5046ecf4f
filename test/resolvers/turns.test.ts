import { Kind } from 'graphql';
import { expect, test } from 'vitest';
import { createTurns } from '../../src/resolvers/turns.ts';

const FIELD = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'messages' } } as const;

/** Turns of an operation whose field has a hundred items of this size each. */
function turnsOf(perItem: number) {
  const turns = createTurns();
  turns.expect({
    objects: 100 * perItem,
    links: 0,
    perItem: new Map([[FIELD, perItem]]),
  });
  return turns;
}

const ITEMS = Array.from({ length: 100 }, (_, index) => index);

test('a small answer waits for nothing', () => {
  const turns = turnsOf(100);

  expect(turns.next()).toBeUndefined();
  expect(turns.pace(ITEMS, [FIELD])).toBe(ITEMS);
});

test('the items of a large answer are completed in several turns of the event loop, in their order', async () => {
  const done: number[] = [];
  const perTurn: number[] = [];

  const all = turnsOf(1000)
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
  const turns = turnsOf(1000);
  const done: string[] = [];

  const first = turns.next()?.then(() => done.push('first'));
  const second = turns.next()?.then(() => done.push('second'));
  await first;
  const afterFirst = [...done];
  await second;

  expect(afterFirst).toEqual(['first']);
  expect(done).toEqual(['first', 'second']);
});
