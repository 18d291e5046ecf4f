import { describe, expect, test } from 'vitest';
import { BY_LIMIT, numbered, STYLES, type Style, startPager } from '../support/pager.ts';

const MANY = numbered(400);
const [, , BY_OFFSET, BY_PAGE] = STYLES as [Style, Style, Style, Style];

/** A service to whose lists `count` items are added at the head after every call, or after the first `calls`. */
function growing(
  { service, settings }: Style,
  count: number,
  cap?: number,
  calls = Number.POSITIVE_INFINITY,
): Style {
  let added = 0;
  return {
    name: '',
    settings,
    service: {
      ...service,
      ...(cap === undefined ? {} : { maxLimit: cap }),
      afterEach(ids) {
        for (let item = 0; item < count && added < count * calls; item += 1) {
          ids.unshift(`new${added}`);
          added += 1;
        }
      },
    },
  };
}

describe.each([1, 10, 99])('while %i items arrive after every call', (count) => {
  test('with PAGING=limit, each page is read with few calls', async () => {
    const pager = startPager(MANY, growing(BY_LIMIT, count));
    let page = await pager.page('first: 10');

    for (const from of [10, 20, 30]) {
      const before = pager.service.queries().length;
      page = await pager.page(`first: 10, after: ${page.ids.at(-1)}`);

      expect(page.ids).toEqual(MANY.slice(from, from + 10));
      expect(pager.service.queries().length - before).toBeLessThanOrEqual(5);
    }
  });

  test('with PAGING=limit, pages before a cursor are read with few calls', async () => {
    const pager = startPager(MANY, growing(BY_LIMIT, count));
    const last = await pager.page('last: 10');
    const before = pager.service.queries().length;

    const { ids } = await pager.page(`last: 10, before: ${last.ids[0]}`);

    expect([...ids, ...last.ids]).toEqual(MANY.slice(-20));
    expect(pager.service.queries().length - before).toBeLessThanOrEqual(4);
  });
});

type Page = readonly [args: string, from: number, to: number];

/** The length of a list, the most items that one call returns, and pages that a client reads in turn. */
const READS: [length: number, cap: number | undefined, ...pages: Page[]][] = [
  [400, 10, ['first: 40', 0, 40]],
  [400, 10, ['first: 5', 0, 5], ['first: 30, after: m004', 5, 35]],
  [60, 10, ['last: 20', 40, 60]],
  [
    400,
    undefined,
    ['first: 100', 0, 100],
    ['first: 100, after: m099', 100, 200],
    ['last: 99, before: m199', 100, 199],
  ],
];

describe.each([BY_OFFSET, BY_PAGE])('with PAGING=$name', (style) => {
  const expectPages = async (grown: Style, length: number, pages: readonly Page[]) => {
    const pager = startPager(MANY.slice(0, length), grown);
    for (const [args, from, to] of pages) {
      const more = [from > 0 ? '<' : '', to < length ? '>' : ''] as const;
      const ids = MANY.slice(from, to).join('');
      expect((await pager.page(args)).text).toBe(`${more[0]}${ids}${more[1]}`);
    }
  };

  test.each(READS)(
    'of %i items, at most %s at once, %j: complete while items arrive',
    async (length, cap, ...pages) => {
      for (const count of [1, 9])
        await expectPages(growing(style, count, cap), length, pages);
    },
  );

  test('98 items may arrive between two calls of a hundred', async () => {
    await expectPages(growing(style, 98), 400, [['last: 30', 370, 400]]);
  });

  test('a list that stops growing is read to the end', async () => {
    await expectPages(growing(style, 3, 10, 3), 400, [['first: 60', 0, 60]]);
  });
});
