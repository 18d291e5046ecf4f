import { describe, expect, test } from 'vitest';
import type { ListOptions } from '../support/list.ts';
import { BY_LIMIT, LETTERS, numbered, startHttpPager } from '../support/pager.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const inFrontOf = (service: ListOptions) => ({ ...BY_LIMIT, service });

test('without arguments a page has ten items', async () => {
  await using pager = await startHttpPager(LETTERS, BY_LIMIT);

  expect((await pager.page('')).text).toBe('abcdefghij>');
  expect(pager.service.queries()).toEqual(['limit=10']);
});

test('the page of an empty list has no cursors', async () => {
  await using pager = await startHttpPager('', BY_LIMIT);

  const { data } = await pager.gateway.ask(
    '{ messages(conversationId: "c1") { edges { cursor } pageInfo { startCursor endCursor } } }',
  );
  expect(data.messages).toEqual({
    edges: [],
    pageInfo: { startCursor: null, endCursor: null },
  });
});

test('each page forward is one call with a higher `limit`', async () => {
  await using pager = await startHttpPager(LETTERS, BY_LIMIT);

  expect(await pager.walk({ size: 10 })).toEqual([...LETTERS]);
  expect(pager.service.queries()).toEqual(['limit=10', 'limit=20', 'limit=30']);
});

test('each page backward is one call with a lower `limit`', async () => {
  await using pager = await startHttpPager(LETTERS, BY_LIMIT);

  expect(await pager.walk({ size: 10, backward: true })).toEqual([...LETTERS]);
  expect(pager.service.queries()).toEqual(['limit=100', 'limit=17', 'limit=7']);
});

test('the end of a short list is found with one call', async () => {
  await using pager = await startHttpPager(LETTERS, BY_LIMIT);

  expect((await pager.page('last: 4')).text).toBe('<wxyz');
  expect(pager.service.queries()).toHaveLength(1);
});

test('the end of a long list is found by doubling `limit`', async () => {
  await using pager = await startHttpPager(numbered(640), BY_LIMIT);

  expect((await pager.page('last: 2')).ids).toEqual(['m638', 'm639']);
  expect(pager.service.queries()).toEqual([
    'limit=100',
    'limit=200',
    'limit=400',
    'limit=800',
  ]);
});

test('one list makes at most MAX_CALLS_PER_LIST calls', async () => {
  const settings = { MAX_CALLS_PER_LIST: '3' };
  await using pager = await startHttpPager(numbered(2000), { service: {}, settings });

  expect((await pager.page('last: 5')).text).toMatch(
    /^PAGE_OUT_OF_REACH.*MAX_CALLS_PER_LIST/,
  );
  expect(pager.service.queries()).toHaveLength(3);
});

describe('when the service', () => {
  test('caps `limit` silently, pages beyond the cap are an error that names it', async () => {
    await using pager = await startHttpPager(LETTERS, inFrontOf({ maxLimit: 15 }));

    expect((await pager.page('first: 10')).text).toBe('abcdefghij>');
    for (const args of ['first: 16', 'first: 10, after: j', 'last: 1']) {
      expect((await pager.page(args)).text).toMatch(/^PAGE_OUT_OF_REACH.*15.*PAGING/);
    }
  });

  test.each([[400], [422]] as const)(
    'refuses `limit` with %i, the call is made again with ten',
    async (refuse) => {
      await using pager = await startHttpPager(
        LETTERS,
        inFrontOf({ maxLimit: 15, refuse }),
      );

      expect((await pager.page('first: 20')).code).toBe('PAGE_OUT_OF_REACH');
      expect(pager.service.queries()).toEqual(['limit=20', 'limit=10']);
    },
  );

  test('refuses `limit` but has fewer than ten items, the page is complete', async () => {
    await using pager = await startHttpPager(
      'abc',
      inFrontOf({ maxLimit: 15, refuse: 400 }),
    );

    expect((await pager.page('first: 20')).text).toBe('abc');
  });

  test('refuses even ten, its refusal is passed on', async () => {
    await using pager = await startHttpPager(
      LETTERS,
      inFrontOf({ maxLimit: 5, refuse: 422 }),
    );

    expect((await pager.page('first: 20')).code).toBe('BAD_USER_INPUT');
    expect(pager.service.queries()).toEqual(['limit=20', 'limit=10']);
  });

  test('ignores `limit` and returns all items, they are cut into pages', async () => {
    const everything = wirePage([...LETTERS].map((id) => wireMessage(id)));
    await using pager = await startHttpPager('', inFrontOf({ always: everything }));

    expect(await pager.walk({ size: 7 })).toEqual([...LETTERS]);
    expect((await pager.page('first: 3')).text).toBe('abc>');
  });
});
