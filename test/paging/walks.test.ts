import { describe, expect, test } from 'vitest';
import { createMemory } from '../support/memory.ts';
import { BY_LIMIT, numbered, STYLES, type Style, startPager } from '../support/pager.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

describe.each(STYLES)('with PAGING=$name', (style) => {
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

  // security: endless-list
  test.each([
    ['nothing', []],
    ['the same item', [wireMessage('a')]],
  ])('a service that has more but always returns %s causes no loop', async (_, data) => {
    const pager = startPager('', {
      ...style,
      service: { ...style.service, always: wirePage(data, true) },
    });

    for (const args of ['first: 5', 'last: 5']) {
      const before = pager.service.queries().length;
      expect((await pager.page(args)).code).toBe('PAGE_OUT_OF_REACH');
      // It may have left items out, which a longer page shows.
      expect(pager.service.queries().length - before).toBeLessThanOrEqual(6);
    }
  });
});

test('a deleted item without an id does not hide an item that is still there', async () => {
  const pager = startPager(['!0', '1', '2', '3', '!4', '5'], BY_LIMIT);
  await pager.page('last: 3');
  pager.become(['!0', '1', '2', '5']);

  expect((await pager.page('last: 3, before: 3')).ids).toEqual([null, '1', '2']);
});

const [OFFSET, PAGE] = STYLES.slice(2) as [Style, Style];
const NO_WAY_BACK = { service: { after: 'starting_after' }, settings: {} };
const areMost = (index: number) => index % 5 !== 0;

test.each([
  [
    'offset',
    OFFSET,
    { size: 7, cap: 10, isMalformed: (index: number) => index % 3 !== 0 },
  ],
  ['page', PAGE, { size: 1, cap: 10, isMalformed: areMost }],
  ['page', PAGE, { size: 7, cap: 10, isMalformed: areMost }],
  [
    'auto, without a way back',
    NO_WAY_BACK,
    { size: 2, cap: 25, isMalformed: (index: number) => index === 26 || index === 28 },
  ],
])(
  'with %s, malformed items come once where the service returns few at once',
  async (_, style, { size, cap, isMalformed }) => {
    const list = numbered(46).map((id, index) => (isMalformed(index) ? `!${id}` : id));
    const ids = list.map((id) => (id.startsWith('!') ? null : id));
    const service = { ...style.service, maxLimit: cap };
    const memory = createMemory(list, { ...style, service });

    expect(await memory.walk({ size })).toEqual(ids);
    expect(await memory.walk({ size, backward: true })).toEqual(ids);
  },
);

test('nothing comes twice where the service reads forward only, and leaves out the first items of the list', async () => {
  const service = { after: 'starting_after', hides: (id: string) => id < 'm003' };
  for (let length = 13; length < 30; length += 1)
    for (const size of [1, 2, 3, 5]) {
      const memory = createMemory(numbered(length), { service, settings: {} });

      const seen = await memory.walk({ size, backward: true });

      expect({ size, seen }).toEqual({ size, seen: numbered(length).slice(3) });
    }
});
