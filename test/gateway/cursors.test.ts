import { describe, expect, test } from 'vitest';
import { BadPageError, PageOutOfReachError } from '../../src/paging/errors.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startList } from '../support/list.ts';
import { createMemory } from '../support/memory.ts';
import { forge, LETTERS, numbered, STYLES } from '../support/pager.ts';

/** A list of 26 letters, read without HTTP. */
const createLetters = (settings = {}, service = {}) =>
  createMemory(LETTERS, { service, settings });

describe('page arguments', () => {
  test.each([
    { first: 1, last: 1 },
    { first: 1, before: 'x' },
    { last: 1, after: 'x' },
    { after: 'x', before: 'x' },
    { first: 0 },
    { last: 0 },
    { first: -1 },
    { first: 101 },
    { last: 101 },
    { after: 'x' },
    { before: '' },
  ])('are refused before any call: %j', async (args) => {
    const { page, service } = createLetters();

    await expect(page(args)).rejects.toThrow(BadPageError);
    expect(service.queries()).toEqual([]);
  });

  test('that are null count as left out', async () => {
    const args = { first: 2, after: null, last: null, before: null };

    const { ids } = await createLetters().page(args);

    expect(ids).toEqual(['a', 'b']);
  });
});

test('a page may have MAX_PAGE_SIZE items, also by default, and no more', async () => {
  const { page } = createLetters({ MAX_PAGE_SIZE: '7' });

  expect((await page({ first: 7 })).ids).toHaveLength(7);
  expect((await page({})).ids).toHaveLength(7);
  await expect(page({ first: 8 })).rejects.toThrow(BadPageError);
});

test('a filter that is false or null is not sent', async () => {
  await using upstream = await startList(LETTERS);
  await using gateway = await startTestGateway(upstream.url);

  for (const filters of [
    'muted: false, archived: null, pinned: true',
    'muted: true, archived: true, groupId: "g&1"',
  ])
    await gateway.ask(`{ conversations(${filters}) { pageInfo { endCursor } } }`);

  expect(upstream.lines()).toEqual([
    'GET /v1/conversations?pinned=true&limit=10',
    'GET /v1/conversations?muted=true&archived=true&group_id=g%261&limit=10',
  ]);
});

describe('a forged cursor', () => {
  test.each([
    ['limit', {}],
    ['starting_after', { after: 'starting_after', before: 'ending_before' }],
  ])('costs no more calls than a real one: PAGING=%s', async (PAGING, service) => {
    const list = createMemory(numbered(5000), { service, settings: { PAGING } });
    const { end } = await list.page({ first: 3 });
    const after = forge(end, { 3: 'no such id', 4: ['a', 'b', 'c', 'd'] });

    await expect(list.page({ after })).rejects.toThrow(PageOutOfReachError);
    expect(list.service.queries().length).toBeLessThanOrEqual(1 + 20);
  });

  // security: forged-cursor
  test('makes no call if PAGING=limit, because one call would have to ask for all items before it', async () => {
    const { page, service } = createLetters({ PAGING: 'limit' });
    const { start, end } = await page({ first: 3 });
    const far = { 2: 999_999_999 };

    await expect(page({ after: forge(end, far) })).rejects.toThrow(/PAGING/);
    await expect(page({ before: forge(start, far) })).rejects.toThrow(/PAGING/);
    expect(service.queries()).toEqual(['limit=3']);
  });

  // security: forged-cursor
  test.each(STYLES)(
    'asks for no more items than a real one: PAGING=$name',
    async ({ name, service: answers, settings }) => {
      const { page, service } = createLetters(settings, answers);
      const { start, end } = await page({ first: 3 });

      for (const position of [99_000, 999_999_999, 1_000_000_000]) {
        const far = { 2: position };
        await page({ after: forge(end, far) }).catch(() => 'out of reach');
        await page({ before: forge(start, far) }).catch(() => 'out of reach');
      }

      const queries = service.queries();
      const limits = queries.map((query) => Number(/limit=(\d+)/.exec(query)?.[1]));
      expect(Math.max(...limits)).toBeLessThanOrEqual(name === 'limit' ? 100_000 : 100);
      expect(limits.length).toBeLessThanOrEqual(1 + 6 * 20);
    },
  );
});

test('the end of a list is found up to the highest limit that one call asks for', async () => {
  const list = createMemory(numbered(60_000), { service: {}, settings: {} });

  const { ids } = await list.page({ last: 1 });

  expect(ids).toEqual(['m59999']);
  expect(list.service.queries().at(-1)).toBe('limit=100000');
});

test.each([
  [
    'names the settings that allow more, if there are no calls to learn',
    { after: 'starting_after', maxLimit: 20 },
    { MAX_CALLS_PER_LIST: '1' },
    /not known yet.* MAX_CALLS_PER_LIST/,
  ],
  [
    'asks for the name of the parameter, if no usual one works',
    { maxLimit: 20 },
    {},
    /no usual parameter .* PAGING_PARAM/,
  ],
])('a page that is cut %s', async (_, service, env, message) => {
  await using upstream = await startList(numbered(100), service);
  await using gateway = await startTestGateway(upstream.url, env);

  const { errors: [error] = [] } = await gateway.ask(
    '{ messages(conversationId: "c1", first: 60) { nodes { id } } }',
  );

  expect(error?.extensions.code).toBe('PAGE_OUT_OF_REACH');
  expect(error?.message).toMatch(message);
});
