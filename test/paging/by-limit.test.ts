import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startList } from '../support/list.ts';
import { askPage, walk } from '../support/pager.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

describe('forward', () => {
  test('without arguments a page has ten', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);

    const page = await askPage(gateway, '');

    expect(page.ids).toEqual(LETTERS.slice(0, 10));
    expect(upstream.queries()).toEqual(['limit=10']);
  });

  test.each([
    ['too few', 3, ['a', 'b', 'c'], true],
    ['exactly right', 5, [...'abcde'], false],
    ['too many', 9, [...'abcde'], false],
  ])('a first page of %s', async (_what, first, ids, hasNext) => {
    await using upstream = await startList([...'abcde']);
    await using gateway = await startTestGateway(upstream.url);

    const page = await askPage(gateway, `first: ${first}`);

    expect(page).toMatchObject({ ids, hasNext, hasPrevious: false });
    expect(page.start).toBe(page.cursors[0]);
    expect(page.end).toBe(page.cursors.at(-1));
  });

  test('the next page asks for a longer first page, one call a page', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);

    const ids = await walk(gateway, { size: 10 });

    expect(ids).toEqual(LETTERS);
    expect(upstream.queries()).toEqual(['limit=10', 'limit=20', 'limit=30']);
  });

  test('every edge has a cursor to go on from', async () => {
    await using upstream = await startList([...'abcde']);
    await using gateway = await startTestGateway(upstream.url);
    const { cursors } = await askPage(gateway, 'first: 5');

    const pages = await Promise.all(
      cursors.map((cursor) => askPage(gateway, `first: 2, after: "${cursor}"`)),
    );

    expect(pages.map(({ ids }) => ids.join(''))).toEqual(['bc', 'cd', 'de', 'e', '']);
    expect(pages.map(({ hasNext }) => hasNext)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(pages.map(({ hasPrevious }) => hasPrevious)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
  });

  test('an empty list is an empty page', async () => {
    await using upstream = await startList([]);
    await using gateway = await startTestGateway(upstream.url);

    for (const args of ['', 'last: 3']) {
      expect(await askPage(gateway, args)).toMatchObject({
        ids: [],
        hasNext: false,
        hasPrevious: false,
        start: null,
        end: null,
      });
    }
  });
});

describe('backward', () => {
  test('`last` is the end of the list', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);

    const page = await askPage(gateway, 'last: 4');

    expect(page).toMatchObject({ ids: [...'wxyz'], hasPrevious: true, hasNext: false });
    expect(upstream.calls).toHaveLength(1);
  });

  test('`last` of a long list is found by doubling what is asked for', async () => {
    const ids = Array.from({ length: 640 }, (_, i) => `m${i}`);
    await using upstream = await startList(ids);
    await using gateway = await startTestGateway(upstream.url);

    const page = await askPage(gateway, 'last: 2');

    expect(page.ids).toEqual(['m638', 'm639']);
    expect(upstream.queries()).toEqual([
      'limit=100',
      'limit=200',
      'limit=400',
      'limit=800',
    ]);
  });

  test('a walk back to the head asks for ever less', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);

    const ids = await walk(gateway, { size: 10, backward: true });

    expect(ids).toEqual(LETTERS);
    expect(upstream.queries()).toEqual(['limit=100', 'limit=17', 'limit=7']);
  });

  test('`before` alone is the ten in front of it', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);
    const { end } = await askPage(gateway, 'last: 1');

    const page = await askPage(gateway, `before: "${end}"`);

    expect(page).toMatchObject({
      ids: LETTERS.slice(15, 25),
      hasPrevious: true,
      hasNext: true,
    });
  });

  test('in front of the first there is nothing', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);
    const { start } = await askPage(gateway, 'first: 3');

    const page = await askPage(gateway, `last: 3, before: "${start}"`);

    expect(page).toMatchObject({ ids: [], hasPrevious: false, hasNext: true });
  });
});

describe('a list that shifts between two pages', () => {
  test.each([
    ['added at the head', (ids: string[]) => ids.unshift('1', '2', '3'), 'fghij'],
    [
      'many added at the head',
      (ids: string[]) => ids.unshift(...Array.from({ length: 30 }, (_, i) => `n${i}`)),
      'fghij',
    ],
    ['deleted at the head', (ids: string[]) => ids.splice(0, 3), 'fghij'],
    ["the cursor's item deleted", (ids: string[]) => ids.splice(4, 1), 'fghij'],
    [
      "the cursor's item and its neighbours deleted",
      (ids: string[]) => ids.splice(1, 4),
      'fghij',
    ],
    ['the next ones deleted', (ids: string[]) => ids.splice(5, 2), 'hijkl'],
    [
      "the cursor's item deleted and some added at the head",
      (ids: string[]) => {
        ids.splice(4, 1);
        ids.unshift('1', '2');
      },
      'fghij',
    ],
    [
      'some added behind the cursor',
      (ids: string[]) => ids.splice(5, 0, '1', '2'),
      '12fgh',
    ],
  ])('forward: %s', async (_what, shift, expected) => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);
    const { end } = await askPage(gateway, 'first: 5');
    shift(upstream.ids);

    const page = await askPage(gateway, `first: 5, after: "${end}"`);

    expect(page.ids.join('')).toBe(expected);
    expect(page.hasNext).toBe(true);
  });

  test.each([
    ['added at the head', (ids: string[]) => ids.unshift('1', '2', '3'), 'qrstu'],
    [
      'many added at the head',
      (ids: string[]) => ids.unshift(...Array.from({ length: 30 }, (_, i) => `n${i}`)),
      'qrstu',
    ],
    ["the cursor's item deleted", (ids: string[]) => ids.splice(21, 1), 'qrstu'],
    [
      "the cursor's item and its neighbours deleted",
      (ids: string[]) => ids.splice(21, 4),
      'qrstu',
    ],
    [
      "the cursor's item deleted, some added at the head",
      (ids: string[]) => {
        ids.splice(21, 1);
        ids.unshift('1', '2', '3');
      },
      'qrstu',
    ],
    ["all from the cursor's item on deleted", (ids: string[]) => ids.splice(21), 'qrstu'],
    ['the ones before deleted', (ids: string[]) => ids.splice(19, 2), 'opqrs'],
  ])('backward: %s', async (_what, shift, expected) => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);
    const { cursors } = await askPage(gateway, 'last: 10');
    const cursor = cursors[LETTERS.indexOf('v') - 16];
    shift(upstream.ids);

    const page = await askPage(gateway, `last: 5, before: "${cursor}"`);

    expect(page.ids.join('')).toBe(expected);
    expect(page.hasPrevious).toBe(true);
  });

  test('an item that goes away with all its neighbours is an error, not a loss', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);
    const { end } = await askPage(gateway, 'first: 5');
    upstream.ids.splice(0, 5);

    const page = await askPage(gateway, `first: 5, after: "${end}"`);

    expect(page.code).toBe('PAGE_OUT_OF_REACH');
    expect(page.message).toContain('gone');
  });

  test('a list that has been emptied is an empty page', async () => {
    await using upstream = await startList(LETTERS);
    await using gateway = await startTestGateway(upstream.url);
    const { end } = await askPage(gateway, 'first: 5');
    upstream.ids.splice(0);

    expect(await askPage(gateway, `after: "${end}"`)).toMatchObject({
      ids: [],
      hasNext: false,
    });
  });

  test.each([[false], [true]])(
    'a whole walk loses nothing and repeats nothing (backward: %s)',
    async (backward) => {
      const ids = Array.from({ length: 200 }, (_, i) => `m${String(i).padStart(3, '0')}`);
      await using upstream = await startList(ids);
      await using gateway = await startTestGateway(upstream.url);
      const deleted: (string | null)[] = [];

      const seen = await walk(gateway, {
        size: 10,
        backward,
        between(turn, page) {
          upstream.ids.unshift(`new${turn}`);
          const edge = backward ? page.ids[0] : page.ids.at(-1);
          deleted.push(edge ?? null);
          upstream.ids.splice(upstream.ids.indexOf(edge ?? ''), 1);
        },
      });

      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => id?.startsWith('m'))).toEqual(ids);
      expect(deleted.length).toBeGreaterThan(10);
    },
  );
});

describe('a service that', () => {
  test('caps `limit` silently gets the pages below the cap, and an error that says the cap', async () => {
    await using upstream = await startList(LETTERS, { maxLimit: 15 });
    await using gateway = await startTestGateway(upstream.url);

    const first = await askPage(gateway, 'first: 10');
    const short = await askPage(gateway, 'first: 16');
    const second = await askPage(gateway, `first: 10, after: "${first.end}"`);
    const last = await askPage(gateway, 'last: 1');

    expect(first).toMatchObject({ ids: LETTERS.slice(0, 10), hasNext: true });
    for (const page of [short, second, last]) {
      expect(page.code).toBe('PAGE_OUT_OF_REACH');
      expect(page.message).toMatch(/15.*PAGING/);
    }
  });

  test.each([[400], [422]] as const)(
    'refuses `limit` with %i is asked once more with ten',
    async (refuse) => {
      await using upstream = await startList(LETTERS, { maxLimit: 15, refuse });
      await using gateway = await startTestGateway(upstream.url);

      const page = await askPage(gateway, 'first: 20');

      expect(page.code).toBe('PAGE_OUT_OF_REACH');
      expect(upstream.queries()).toEqual(['limit=20', 'limit=10']);
    },
  );

  test('refuses `limit` but has no more than ten gets its page all the same', async () => {
    await using upstream = await startList([...'abc'], { maxLimit: 15, refuse: 400 });
    await using gateway = await startTestGateway(upstream.url);

    expect(await askPage(gateway, 'first: 20')).toMatchObject({
      ids: [...'abc'],
      hasNext: false,
    });
  });

  test('refuses even ten is passed on', async () => {
    await using upstream = await startList(LETTERS, { maxLimit: 5, refuse: 422 });
    await using gateway = await startTestGateway(upstream.url);

    const page = await askPage(gateway, 'first: 20');

    expect(page.code).toBe('BAD_USER_INPUT');
    expect(upstream.queries()).toEqual(['limit=20', 'limit=10']);
  });

  test('ignores `limit` and sends everything is cut to the page', async () => {
    const everything = wirePage(LETTERS.map((id) => wireMessage(id)));
    await using upstream = await startUpstream(() => ({ body: everything }));
    await using gateway = await startTestGateway(upstream.url);

    expect(await walk(gateway, { size: 7 })).toEqual(LETTERS);
    expect(await askPage(gateway, 'first: 3')).toMatchObject({
      ids: [...'abc'],
      hasNext: true,
    });
  });

  test('says there is more on an empty page makes no loop', async () => {
    await using upstream = await startUpstream(() => ({ body: wirePage([], true) }));
    await using gateway = await startTestGateway(upstream.url);

    for (const args of ['first: 5', 'last: 5']) {
      expect((await askPage(gateway, args)).code).toBe('PAGE_OUT_OF_REACH');
    }
    expect(upstream.calls.length).toBeLessThanOrEqual(4);
  });
});

test('one list makes at most MAX_CALLS_PER_LIST calls', async () => {
  const ids = Array.from({ length: 2000 }, (_, i) => `m${i}`);
  await using upstream = await startList(ids);
  await using gateway = await startTestGateway(upstream.url, { MAX_CALLS_PER_LIST: '3' });

  const page = await askPage(gateway, 'last: 5');

  expect(page.code).toBe('PAGE_OUT_OF_REACH');
  expect(page.message).toContain('MAX_CALLS_PER_LIST');
  expect(upstream.calls).toHaveLength(3);
});

describe('malformed items', () => {
  test('without an id can be gone on from, and do not disturb a walk', async () => {
    const ids = ['!0', '!1', 'a', 'b', '!2', '!3', 'c', '!4'];
    await using upstream = await startList(ids);
    await using gateway = await startTestGateway(upstream.url);
    const { cursors } = await askPage(gateway, 'first: 8');

    const behind = await Promise.all(
      cursors.map((cursor) => askPage(gateway, `first: 8, after: "${cursor}"`)),
    );
    const before = await Promise.all(
      cursors.map((cursor) => askPage(gateway, `last: 8, before: "${cursor}"`)),
    );

    expect(behind.map((page) => page.ids.length)).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    expect(before.map((page) => page.ids.length)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
