import { describe, expect, test } from 'vitest';
import { BY_LIMIT, numbered, STYLES, type Style, startPager } from '../support/pager.ts';

const MANY = numbered(400);
const [, , BY_OFFSET, BY_PAGE] = STYLES as [Style, Style, Style, Style];

/** A service to whose lists `count` items are added at the head after every call. */
function growing({ service, settings }: Style, count: number, cap?: number): Style {
  let added = 0;
  return {
    name: '',
    settings,
    service: {
      ...service,
      ...(cap === undefined ? {} : { maxLimit: cap }),
      afterEach(ids) {
        for (let item = 0; item < count; item += 1) {
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

const BY_POSITION = [BY_OFFSET, BY_PAGE].flatMap((style) =>
  [1, 9].map((count) => ({ ...style, count })),
);

describe.each(BY_POSITION)(
  'with PAGING=$name, while $count items arrive after every call',
  ({ count, ...style }) => {
    test('a first page of several calls is complete', async () => {
      const pager = startPager(MANY, growing(style, count, 10));

      const { text, ids, hasPrevious } = await pager.page('first: 40');

      expect({ text, ids }).toEqual({ text, ids: MANY.slice(0, 40) });
      expect(hasPrevious).toBe(false);
    });

    test('the end of a list is found with several calls', async () => {
      const list = MANY.slice(0, 60);
      const pager = startPager(list, growing(style, count, 10));

      expect((await pager.page('last: 20')).text).toBe(`<${list.slice(-20).join('')}`);
    });

    test('a page after a cursor is complete', async () => {
      const pager = startPager(MANY, growing(style, count, 10));
      await pager.page('first: 5');

      const { text } = await pager.page('first: 30, after: m004');

      expect(text).toBe(`<${MANY.slice(5, 35).join('')}>`);
    });

    test('pages of MAX_PAGE_SIZE follow each other, forward and backward', async () => {
      const pager = startPager(MANY, growing(style, count));
      const forward = await pager.page('first: 100');
      const next = await pager.page('first: 100, after: m099');
      const back = await pager.page('last: 99, before: m199');

      expect([...forward.ids, ...next.ids]).toEqual(MANY.slice(0, 200));
      expect(back.text).toBe(`<${MANY.slice(100, 199).join('')}>`);
    });
  },
);

test.each([BY_OFFSET, BY_PAGE])(
  'with PAGING=$name, 98 items may arrive between two calls of a hundred',
  async (style) => {
    const pager = startPager(MANY, growing(style, 98));

    expect((await pager.page('last: 30')).ids).toEqual(MANY.slice(-30));
  },
);

test('a list that stops growing is read to the end', async () => {
  let calls = 0;
  const pager = startPager(MANY, {
    ...BY_OFFSET,
    service: {
      ...BY_OFFSET.service,
      maxLimit: 10,
      afterEach(ids) {
        calls += 1;
        if (calls < 4) ids.unshift(...[1, 2, 3].map((item) => `new${calls}-${item}`));
      },
    },
  });

  expect((await pager.page('first: 60')).ids).toEqual(MANY.slice(0, 60));
});
