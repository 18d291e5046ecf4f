import { describe, expect, test } from 'vitest';
import { PageOutOfReachError } from '../../src/paging/errors.ts';
import { createMemory } from '../support/memory.ts';
import { BY_ID, numbered, STYLES, type Style, startPager } from '../support/pager.ts';

/** A page may need several calls. Here the list changes between the first and the second one. */
const LIST = numbered(45);

/** A service that returns at most ten items, and loses some after the first call. */
const losing = (
  { name, service, settings }: Style,
  gone: readonly string[],
  more: Partial<Style> = {},
): Style => ({
  name,
  service: {
    ...service,
    ...more.service,
    maxLimit: 10,
    afterFirst: (ids) =>
      ids.splice(0, ids.length, ...ids.filter((id) => !gone.includes(id))),
  },
  settings: { ...settings, ...more.settings, MAX_LIMIT: '10' },
});

describe.each([['empty'], [400], [404], ['first']] as const)(
  'the item to continue from is deleted, and the service answers its id with %j',
  (unknown) => {
    const style = losing(BY_ID, ['m009'], {
      service: { unknown },
      settings: { PAGING_UNKNOWN_ID: unknown === 'first' ? 'first' : 'refused' },
    });

    test('the page continues from the item before it', async () => {
      const pager = startPager(LIST, style);

      const { text } = await pager.page('first: 30');

      // The deleted item was already read, so it stays.
      expect(text).toBe(`${LIST.slice(0, 30).join('')}>`);
    });

    test('the end of the list is still found', async () => {
      const pager = startPager(LIST, style);

      expect((await pager.page('last: 5')).ids).toEqual(LIST.slice(-5));
    });
  },
);

test('if all items to continue from are deleted, the client is asked to try again', async () => {
  const style = losing(BY_ID, LIST.slice(0, 10), { service: { unknown: 404 } });
  const pager = startPager(LIST, style);

  expect((await pager.page('first: 30')).text).toMatch(/^PAGE_OUT_OF_REACH.*ask again/);
});

test.each(
  STYLES.slice(2).flatMap((style) => [6, 9].map((count) => ({ ...style, count }))),
)(
  'with $name, a list that loses $count of the items read is not taken to end there',
  async ({ count, ...style }) => {
    const list = LIST.slice(0, 15);
    const pager = startPager(list, losing(style, list.slice(0, count)));

    expect((await pager.page('first: 15')).text).toMatch(/^PAGE_OUT_OF_REACH.*ask again/);
  },
);

test('an item that moves down while a page is read leaves no gap, or ends it with an error', async () => {
  for (const style of STYLES.slice(2)) {
    for (let to = 10; to < 25; to += 1) {
      const afterFirst = (ids: string[]) => ids.splice(to, 0, ...ids.splice(9, 1));
      const service = { ...style.service, maxLimit: 10, afterFirst };
      const memory = createMemory(numbered(30), { ...style, service });

      const page = await memory.page({ first: 30 }).catch((error) => {
        expect(error).toBeInstanceOf(PageOutOfReachError);
        return null;
      });

      if (page !== null) expect([...page.ids].sort()).toEqual(numbered(30));
      if (to < 15) expect(page).not.toBe(null);
    }
  }
});

test.each(STYLES.slice(2))(
  'with $name, an item that comes in front of the last one read keeps its place: the page before it leaves out none',
  async (style) => {
    const afterFirst = (ids: string[]) => ids.splice(9, 0, 'new');
    const service = { ...style.service, maxLimit: 10, afterFirst };
    const pager = startPager(numbered(25), { ...style, service });

    const seen = await pager.walk({ size: 16, backward: true });

    expect(seen.filter((id) => id !== 'new')).toEqual(numbered(25));
  },
);

test('an item beside the cursor that has moved far up does not mark its place, where the list is read in parts', async () => {
  const service = { after: 'starting_after', maxLimit: 10 };
  const pager = startPager(LIST, { ...BY_ID, service });
  expect((await pager.page('last: 4')).ids).toEqual(LIST.slice(-4));
  const moved = LIST.filter((id) => id !== 'm043').toSpliced(5, 0, 'm043');
  pager.become(moved);

  expect((await pager.page('last: 4, before: m041')).text).toBe('<m037m038m039m040>');
});
