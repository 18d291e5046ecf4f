import { describe, expect, test } from 'vitest';
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
