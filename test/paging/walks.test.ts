import { describe, expect, test } from 'vitest';
import type { ListOptions } from '../support/list.ts';
import {
  BY_LIMIT,
  BY_UNKNOWN_ID,
  LETTERS,
  numbered,
  STYLES,
  type Style,
  startPager,
} from '../support/pager.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const MANY = numbered(350);

const CAPS: [how: string, cap: ListOptions][] = [
  ['no cap', {}],
  ['a silent cap of 25', { maxLimit: 25 }],
  ['a cap of 25, refused with 400', { maxLimit: 25, refuse: 400 }],
  ['a cap of 25, refused with 422', { maxLimit: 25, refuse: 422 }],
];

const withService = (style: Style, service: ListOptions) => ({
  ...style,
  service: { ...style.service, ...service },
});

describe.each(STYLES)('with PAGING=$name', (style) => {
  test.each(
    [1, 7, 10, 99, 100].flatMap((size) => [
      { size, backward: false },
      { size, backward: true },
    ]),
  )('a walk in pages of $size is complete (backward: $backward)', async (options) => {
    const list = options.size === 1 ? [...LETTERS] : MANY;
    const pager = startPager(list, style);

    expect(await pager.walk(options)).toEqual(list);
  });

  test.each([0, 1, 9, 10, 11, 20])('a list of %i ends exactly', async (length) => {
    const list = [...LETTERS].slice(0, length);
    const pager = startPager(list, style);

    expect(await pager.walk({ size: 10 })).toEqual(list);
    expect(await pager.walk({ size: 10, backward: true })).toEqual(list);
  });

  test.each([
    [3, 'abc>'],
    [5, 'abcde'],
    [9, 'abcde'],
  ])('a first page of %i of five items is exact', async (first, expected) => {
    const pager = startPager('abcde', style);

    const { text, start, end, cursors } = await pager.page(`first: ${first}`);

    expect(text).toBe(expected);
    expect([start, end]).toEqual([cursors[0], cursors.at(-1)]);
  });

  test('an empty list is an empty page', async () => {
    const pager = startPager('', style);

    for (const args of ['', 'last: 3']) {
      expect(await pager.page(args)).toMatchObject({ text: '', start: '', end: '' });
    }
  });

  test('every edge has a cursor for both directions', async () => {
    const pager = startPager(LETTERS, style);
    await pager.page('first: 26');

    for (const [index, id] of [...LETTERS].entries()) {
      const next = await pager.page(`first: 4, after: ${id}`);
      const previous = await pager.page(`last: 4, before: ${id}`);
      expect(next.text).toBe(
        `<${LETTERS.slice(index + 1, index + 5)}${index + 5 < 26 ? '>' : ''}`,
      );
      expect(previous.text).toBe(
        `${index > 4 ? '<' : ''}${LETTERS.slice(Math.max(0, index - 4), index)}>`,
      );
    }
  });

  test('malformed items without an id have cursors too', async () => {
    const list = ['!0', '!1', 'a', 'b', '!2', '!3', 'c', '!4'];
    const pager = startPager(list, style);
    const { cursors } = await pager.page('first: 8');

    for (const [index, cursor] of cursors.entries()) {
      const next = await pager.page(`first: 8, after: "${cursor}"`);
      const previous = await pager.page(`last: 8, before: "${cursor}"`);
      expect(next.ids).toHaveLength(7 - index);
      expect(previous.ids).toHaveLength(index);
    }
  });

  test('deleted items without an id do not cause an empty page with nowhere to go', async () => {
    const list = ['a', ...[...'123456789'].map((id) => `!${id}`)];
    const pager = startPager(list, style);
    const { start } = await pager.page('last: 4');
    pager.become('a');

    expect((await pager.page(`last: 2, before: "${start}"`)).text).toMatch(
      /^(PAGE_OUT_OF_REACH|a>?$)/,
    );
  });

  describe.each(CAPS)('and %s', (_how, cap) => {
    test.each([10, 25, 40, 60])(
      'a walk in pages of %i is complete, or ends with an error',
      async (size) => {
        const list = MANY.slice(0, 120);
        const pager = startPager(list, withService(style, cap));
        const isReachable = style !== BY_LIMIT || cap.maxLimit === undefined;

        for (const backward of [false, true]) {
          const walked = pager.walk({ size, backward });
          if (isReachable) expect(await walked).toEqual(list);
          else await expect(walked).rejects.toThrow('PAGE_OUT_OF_REACH');
        }
      },
    );
  });

  test.each([
    ['nothing', []],
    ['the same item', [wireMessage('a')]],
  ])(
    'a service that reports more but always returns %s causes no loop',
    async (_what, data) => {
      const pager = startPager('', withService(style, { always: wirePage(data, true) }));

      for (const args of ['first: 5', 'last: 5']) {
        const before = pager.service.queries().length;
        expect((await pager.page(args)).code).toBe('PAGE_OUT_OF_REACH');
        // It may have left items out, which a longer page shows.
        expect(pager.service.queries().length - before).toBeLessThanOrEqual(6);
      }
    },
  );
});

/** Services that answer an unknown id with the first page need the setting for it. */
const CHANGING = [...STYLES, ...BY_UNKNOWN_ID].map((style) => ({
  ...style,
  settings: {
    ...style.settings,
    PAGING_UNKNOWN_ID: style.service.unknown === 'first' ? 'first' : 'refused',
  },
}));

describe.each(CHANGING)('with PAGING=$name', (style) => {
  test.each([[false], [true]])(
    'a walk loses and repeats nothing while items come and go (backward: %s)',
    async (backward) => {
      const pager = startPager(MANY, style);
      const { ids } = pager.service;

      const seen = await pager.walk({
        size: 10,
        backward,
        between(turn, page) {
          ids.unshift(`new${turn}a`, `new${turn}b`);
          const edge = (backward ? page.ids[0] : page.ids.at(-1)) ?? '';
          const inner = (backward ? page.ids[1] : page.ids.at(-2)) ?? '';
          for (const id of turn % 3 === 0 ? [edge, inner] : [edge]) {
            if (ids.includes(id)) ids.splice(ids.indexOf(id), 1);
          }
        },
      });

      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => id?.startsWith('m'))).toEqual(MANY);
    },
  );
});

test.each(STYLES.slice(1))(
  'with PAGING=$name, each page forward is one call',
  async (style) => {
    const pager = startPager(MANY, style);

    await pager.walk({ size: 10 });

    expect(pager.service.queries()).toHaveLength(35);
  },
);

test.each(STYLES.slice(2))(
  'a service that does not know `$name` is recognized',
  async (style) => {
    const pager = startPager(MANY, { ...style, service: {} });

    await expect(pager.walk({ size: 10 })).rejects.toThrow(/PAGE_OUT_OF_REACH.*PAGING/);
    expect(pager.service.queries().length).toBeLessThan(50);
  },
);

test.each([
  ['offset', 'skip'],
  ['page', 'p'],
])('the parameter of PAGING=%s may have another name', async (name, param) => {
  const pager = startPager(LETTERS, {
    service: { [name]: param },
    settings: { PAGING: name, PAGING_PARAM: param },
  });

  expect(await pager.walk({ size: 10 })).toEqual([...LETTERS]);
});

test('a deleted item without an id does not hide an item that is still there', async () => {
  const pager = startPager(['!0', '1', '2', '3', '!4', '5'], BY_LIMIT);
  await pager.page('last: 3');
  pager.become(['!0', '1', '2', '5']);

  expect((await pager.page('last: 3, before: 3')).ids).toEqual([null, '1', '2']);
});
