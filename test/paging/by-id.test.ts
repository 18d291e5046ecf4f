import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { type ListOptions, startList } from '../support/list.ts';
import { askPage, type TestPage, walk } from '../support/pager.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const USUAL = { after: 'starting_after', before: 'ending_before' } as const;
const PAGING = { PAGING: 'starting_after' };

describe('forward', () => {
  test('a walk is one call a page', async () => {
    await using upstream = await startList(LETTERS, USUAL);
    await using gateway = await startTestGateway(upstream.url, PAGING);

    const ids = await walk(gateway, { size: 10 });

    expect(ids).toEqual(LETTERS);
    expect(upstream.queries()).toEqual([
      'limit=10',
      'limit=10&starting_after=j',
      'limit=10&starting_after=t',
    ]);
  });

  test('every edge has a cursor to go on from, forward and backward', async () => {
    await using upstream = await startList([...'abcde'], USUAL);
    await using gateway = await startTestGateway(upstream.url, PAGING);
    const { cursors } = await askPage(gateway, 'first: 5');

    const behind = await Promise.all(
      cursors.map((cursor) => askPage(gateway, `first: 2, after: "${cursor}"`)),
    );
    const before = await Promise.all(
      cursors.map((cursor) => askPage(gateway, `last: 2, before: "${cursor}"`)),
    );

    expect(behind.map(({ ids }) => ids.join(''))).toEqual(['bc', 'cd', 'de', 'e', '']);
    expect(behind.map(({ hasNext }) => hasNext)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(behind.map(({ hasPrevious }) => hasPrevious)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(before.map(({ ids }) => ids.join(''))).toEqual(['', 'a', 'ab', 'bc', 'cd']);
    expect(before.map(({ hasPrevious }) => hasPrevious)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(before.map(({ hasNext }) => hasNext)).toEqual([true, true, true, true, true]);
  });

  test('the parameters may be called otherwise', async () => {
    await using upstream = await startList(LETTERS, { after: 'since', before: 'until' });
    await using gateway = await startTestGateway(upstream.url, {
      ...PAGING,
      PAGING_PARAM: 'since',
      PAGING_BACK_PARAM: 'until',
    });

    expect(await walk(gateway, { size: 10 })).toEqual(LETTERS);
    expect(await walk(gateway, { size: 10, backward: true })).toEqual(LETTERS);
    expect(upstream.queries()).toContain('limit=10&since=j');
    expect(upstream.queries()).toContain('limit=10&until=q');
  });
});

describe('backward', () => {
  test('`last` walks to the end once, then goes back one call a page', async () => {
    const ids = Array.from({ length: 250 }, (_, i) => `m${i}`);
    await using upstream = await startList(ids, USUAL);
    await using gateway = await startTestGateway(upstream.url, PAGING);

    const seen = await walk(gateway, { size: 100, backward: true });

    expect(seen).toEqual(ids);
    expect(upstream.queries()).toEqual([
      'limit=100',
      'limit=100&starting_after=m99',
      'limit=100&starting_after=m199',
      'limit=100&ending_before=m150',
      'limit=100&ending_before=m50',
    ]);
  });

  test('a service without a way back is read from its head', async () => {
    await using upstream = await startList(LETTERS, { after: 'starting_after' });
    await using gateway = await startTestGateway(upstream.url, PAGING);

    expect(await walk(gateway, { size: 5, backward: true })).toEqual(LETTERS);
  });
});

const MANY = Array.from({ length: 200 }, (_, i) => `m${String(i).padStart(3, '0')}`);

/** Between two pages one item comes at the head and the one at the page's edge goes. */
const comeAndGo =
  (ids: string[], backward: boolean) => (turn: number, page: TestPage) => {
    ids.unshift(`new${turn}`);
    const edge = backward ? page.ids[0] : page.ids.at(-1);
    ids.splice(ids.indexOf(edge ?? ''), 1);
  };

const UNKNOWN: NonNullable<ListOptions['unknown']>[] = [400, 404, 'empty', 'first'];

describe.each(UNKNOWN)('with a service that answers %s to an unknown id', (unknown) => {
  const service = { ...USUAL, unknown };

  test.each([
    ["the cursor's item deleted", (ids: string[]) => ids.splice(9, 1), 'klmno'],
    [
      'and some added at the head',
      (ids: string[]) => {
        ids.splice(9, 1);
        ids.unshift('1', '2', '3');
      },
      'klmno',
    ],
    ['with its neighbours but one', (ids: string[]) => ids.splice(6, 4), 'klmno'],
    [
      'with the head of the list',
      (ids: string[]) => {
        ids.splice(9, 1);
        ids.splice(0, 1);
      },
      'klmno',
    ],
    [
      'and others added in its place',
      (ids: string[]) => ids.splice(9, 1, '1', '2'),
      '12klm',
    ],
  ])('forward: %s', async (_what, shift, expected) => {
    await using upstream = await startList(LETTERS, service);
    await using gateway = await startTestGateway(upstream.url, PAGING);
    const { end } = await askPage(gateway, 'first: 10');
    shift(upstream.ids);

    const page = await askPage(gateway, `first: 5, after: "${end}"`);

    expect(page.ids.join('')).toBe(expected);
    expect(page).toMatchObject({ hasNext: true, hasPrevious: true });
  });

  test.each([
    ["the cursor's item deleted", (ids: string[]) => ids.splice(16, 1), 'lmnop'],
    [
      'and some added at the head',
      (ids: string[]) => {
        ids.splice(16, 1);
        ids.unshift('1', '2', '3');
      },
      'lmnop',
    ],
    ['with its neighbours but one', (ids: string[]) => ids.splice(16, 4), 'lmnop'],
    [
      'with the head of the list',
      (ids: string[]) => {
        ids.splice(16, 1);
        ids.splice(0, 1);
      },
      'lmnop',
    ],
  ])('backward: %s', async (_what, shift, expected) => {
    await using upstream = await startList(LETTERS, service);
    await using gateway = await startTestGateway(upstream.url, PAGING);
    const { start } = await askPage(gateway, 'last: 10');
    shift(upstream.ids);

    const page = await askPage(gateway, `last: 5, before: "${start}"`);

    expect(page.ids.join('')).toBe(expected);
    expect(page).toMatchObject({ hasNext: true, hasPrevious: true });
  });

  test('an item that goes away with all its neighbours is an error, not a loss', async () => {
    await using upstream = await startList(LETTERS, service);
    await using gateway = await startTestGateway(upstream.url, PAGING);
    const { end } = await askPage(gateway, 'first: 10');
    upstream.ids.splice(1, 9);

    const page = await askPage(gateway, `first: 5, after: "${end}"`);

    expect(page.code).toBe('PAGE_OUT_OF_REACH');
  });

  test('the end of the list is told from an id it does not know', async () => {
    await using upstream = await startList(LETTERS, service);
    await using gateway = await startTestGateway(upstream.url, PAGING);
    const { cursors } = await askPage(gateway, 'first: 26');
    const [start, end] = [cursors[0], cursors[25]];

    expect(await askPage(gateway, `after: "${end}"`)).toMatchObject({
      ids: [],
      hasNext: false,
    });
    expect(await askPage(gateway, `before: "${start}"`)).toMatchObject({
      ids: [],
      hasPrevious: false,
    });
    upstream.ids.splice(25, 1);
    expect(await askPage(gateway, `after: "${end}"`)).toMatchObject({
      ids: [],
      hasNext: false,
    });
    upstream.ids.push('1', '2');
    expect(await askPage(gateway, `after: "${end}"`)).toMatchObject({ ids: ['1', '2'] });
  });
});

describe.each([400, 404, 'empty'] as const)(
  'with a service that answers %s to an unknown id',
  (unknown) => {
    test.each([[false], [true]])(
      'a walk during which items come and go is whole (backward: %s)',
      async (backward) => {
        await using upstream = await startList(MANY, { ...USUAL, unknown });
        await using gateway = await startTestGateway(upstream.url, PAGING);

        const seen = await walk(gateway, {
          size: 10,
          backward,
          between: comeAndGo(upstream.ids, backward),
        });

        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((id) => id?.startsWith('m'))).toEqual(MANY);
      },
    );
  },
);

describe('with PAGING_UNKNOWN_ID=first, for a service that begins anew for an unknown id', () => {
  const settings = { ...PAGING, PAGING_UNKNOWN_ID: 'first' };

  test.each([[false], [true]])(
    'a walk during which items come and go is whole (backward: %s)',
    async (backward) => {
      await using upstream = await startList(MANY, { ...USUAL, unknown: 'first' });
      await using gateway = await startTestGateway(upstream.url, settings);

      const seen = await walk(gateway, {
        size: 10,
        backward,
        between: comeAndGo(upstream.ids, backward),
      });

      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => id?.startsWith('m'))).toEqual(MANY);
    },
  );

  test('a walk is still one call a page', async () => {
    await using upstream = await startList(MANY, { ...USUAL, unknown: 'first' });
    await using gateway = await startTestGateway(upstream.url, settings);

    expect(await walk(gateway, { size: 10 })).toEqual(MANY);
    expect(upstream.calls).toHaveLength(20);
  });
});

test('MAX_LIMIT is never asked beyond', async () => {
  await using upstream = await startList(MANY, { ...USUAL, maxLimit: 25, refuse: 400 });
  await using gateway = await startTestGateway(upstream.url, {
    ...PAGING,
    MAX_LIMIT: '25',
  });

  const page = await askPage(gateway, 'first: 60');

  expect(page.ids).toEqual(MANY.slice(0, 60));
  expect(upstream.queries()).toEqual([
    'limit=25',
    'limit=25&starting_after=m024',
    'limit=10&starting_after=m049',
  ]);
});

test('with a service that begins anew for an unknown id, a walk in which little comes and goes is whole all the same', async () => {
  await using upstream = await startList(MANY, { ...USUAL, unknown: 'first' });
  await using gateway = await startTestGateway(upstream.url, PAGING);

  const seen = await walk(gateway, { size: 10, between: comeAndGo(upstream.ids, false) });

  expect(seen).toEqual(MANY);
});

describe('a service that', () => {
  test.each([
    ['silently', {}],
    ['with 400', { refuse: 400 }],
    ['with 422', { refuse: 422 }],
  ] as const)(
    'caps `limit` %s is asked on until the page is full',
    async (_how, refusal) => {
      const ids = Array.from({ length: 120 }, (_, i) => `m${i}`);
      await using upstream = await startList(ids, { ...USUAL, maxLimit: 25, ...refusal });
      await using gateway = await startTestGateway(upstream.url, PAGING);

      expect(await walk(gateway, { size: 60 })).toEqual(ids);
      expect(await walk(gateway, { size: 60, backward: true })).toEqual(ids);
    },
  );

  test('knows no such parameter is told from one that goes on', async () => {
    await using upstream = await startList(MANY);
    await using gateway = await startTestGateway(upstream.url, PAGING);
    const { end } = await askPage(gateway, 'first: 100');

    const next = await askPage(gateway, `first: 100, after: "${end}"`);
    const last = await askPage(gateway, 'last: 3');

    for (const page of [next, last]) {
      expect(page.code).toBe('PAGE_OUT_OF_REACH');
      expect(page.message).toMatch(/starting_after.*PAGING/);
    }
    expect(upstream.calls.length).toBeLessThan(15);
  });

  test('says there is more and sends nothing, or the same, makes no loop', async () => {
    for (const data of [[], [wireMessage('a')]]) {
      await using upstream = await startUpstream(() => ({ body: wirePage(data, true) }));
      await using gateway = await startTestGateway(upstream.url, PAGING);

      const page = await askPage(gateway, 'first: 5');

      expect(page.code).toBe('PAGE_OUT_OF_REACH');
      expect(upstream.calls.length).toBeLessThanOrEqual(3);
    }
  });
});

test('malformed items without an id can be gone on from in both directions', async () => {
  const ids = ['!0', '!1', 'a', 'b', '!2', '!3', 'c', '!4'];
  await using upstream = await startList(ids, USUAL);
  await using gateway = await startTestGateway(upstream.url, PAGING);
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
