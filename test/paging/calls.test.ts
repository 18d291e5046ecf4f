import { describe, expect, test } from 'vitest';
import { askOnce, startTestGateway } from '../support/gateway.ts';
import { type ListOptions, startList } from '../support/list.ts';
import {
  BY_ID,
  BY_LIMIT,
  LETTERS,
  numbered,
  STYLES,
  type Style,
  startPager,
} from '../support/pager.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const MANY = numbered(350);

const withService = (
  style: Style,
  service: ListOptions,
  settings: Style['settings'] = {},
): Style => ({
  name: style.name,
  service: { ...style.service, ...service },
  settings: { ...style.settings, ...settings },
});
const auto = (service: ListOptions): Style => ({ name: 'auto', service, settings: {} });
const RENAMED: Style = {
  ...BY_ID,
  service: { after: 'since', before: 'until' },
  settings: { ...BY_ID.settings, PAGING_PARAM: 'since', PAGING_BACK_PARAM: 'until' },
};

/** The queries that pages send. */
interface Walk {
  readonly what: string;
  readonly style: Style;
  /** Default: the 350 items of MANY. */
  readonly list?: readonly string[];
  /** Default: ten. */
  readonly size?: number;
  readonly backward?: boolean;
  /** The first queries, or all. */
  readonly queries: readonly unknown[];
  /** Beside one for each page. Default: none. */
  readonly extraCalls?: number;
}

const WALKS: readonly Walk[] = [
  {
    what: 'by limit, each page forward is one call with a higher `limit`',
    style: BY_LIMIT,
    list: [...LETTERS],
    queries: ['limit=10', 'limit=20', 'limit=30'],
  },
  {
    what: 'by limit, each page backward is one call with a lower `limit`',
    style: BY_LIMIT,
    list: [...LETTERS],
    backward: true,
    queries: ['limit=100', 'limit=17', 'limit=7'],
  },
  {
    what: 'by id, each page forward is one call',
    style: BY_ID,
    list: [...LETTERS],
    queries: ['limit=10', 'limit=10&starting_after=j', 'limit=10&starting_after=t'],
  },
  {
    what: 'by id, the end of the list is looked for once, then each page backward is one call',
    style: BY_ID,
    list: numbered(250),
    size: 100,
    backward: true,
    queries: [
      'limit=100',
      'limit=100&starting_after=m099',
      'limit=100&starting_after=m199',
      'limit=100&ending_before=m150',
      'limit=100&ending_before=m050',
    ],
    extraCalls: 2,
  },
  {
    what: 'by id, the parameters may have other names',
    style: RENAMED,
    list: numbered(20),
    backward: true,
    queries: ['limit=100', 'limit=10&until=m010'],
  },
  {
    what: 'by id, without a parameter for the page before, a list is read from its head',
    style: { ...BY_ID, service: { after: 'starting_after' } },
    list: numbered(20),
    backward: true,
    queries: ['limit=100', 'limit=10&ending_before=m010'],
    extraCalls: 3,
  },
  {
    what: 'with PAGING_UNKNOWN_ID=first, each page forward is still one call',
    style: withService(BY_ID, { unknown: 'first' }, { PAGING_UNKNOWN_ID: 'first' }),
    queries: ['limit=10', 'limit=11&starting_after=m008'],
  },
  {
    what: 'by offset, each page repeats an item',
    style: STYLES[2] ?? BY_ID,
    queries: ['limit=10', 'limit=11&offset=9'],
  },
  {
    what: 'by offset, the parameter may have another name',
    style: {
      name: 'offset',
      service: { offset: 'skip' },
      settings: { PAGING: 'offset', PAGING_PARAM: 'skip' },
    },
    queries: ['limit=10', 'limit=11&skip=9'],
  },
  {
    what: 'by page, a page holds the item it repeats',
    style: STYLES[3] ?? BY_ID,
    queries: ['limit=10', 'limit=20'],
  },
  {
    what: 'auto finds starting_after, and the next pages use it',
    style: auto(BY_ID.service),
    queries: [
      'limit=10',
      'limit=11',
      'limit=2&starting_after=m003',
      expect.stringMatching(/^limit=2&starting_after=\w{5,}$/),
      'limit=2&ending_before=m005',
      'limit=11&starting_after=m008',
    ],
    extraCalls: 4,
  },
  {
    what: 'auto finds offset',
    style: auto({ offset: 'offset' }),
    queries: [
      'limit=10',
      'limit=11',
      'limit=2&starting_after=m003',
      'limit=2&offset=3',
      'limit=11&offset=9',
    ],
    extraCalls: 3,
  },
  {
    what: 'auto finds page',
    style: auto({ page: 'page' }),
    queries: [
      'limit=10',
      'limit=11',
      'limit=2&starting_after=m003',
      'limit=2&offset=3',
      'limit=2&page=3',
    ],
    extraCalls: 4,
  },
  ...[false, true].map((strict) => ({
    what: `auto goes on as \`limit\` where nothing pages (strict: ${strict})`,
    style: auto({ strict }),
    queries: ['limit=10'],
    extraCalls: 4,
  })),
];

test.each(WALKS)(
  '$what',
  async ({
    style,
    list = MANY,
    size = 10,
    backward = false,
    queries,
    extraCalls = 0,
  }) => {
    const pager = startPager(list, style);

    expect(await pager.walk({ size, backward })).toEqual(list);
    expect(pager.service.queries().slice(0, queries.length)).toEqual(queries);
    expect(pager.service.queries()).toHaveLength(
      Math.ceil(list.length / size) + extraCalls,
    );
  },
);

test('auto learns backward pages too', async () => {
  const pager = startPager(MANY, auto(BY_ID.service));
  await pager.page('first: 100');
  await pager.page('last: 10, before: m050');
  const before = pager.service.queries().length;

  const { ids } = await pager.page('last: 10, before: m090');

  expect(ids).toEqual(MANY.slice(80, 90));
  expect(pager.service.queries().slice(before)).toEqual(['limit=11&ending_before=m091']);
});

test('the page of an empty list has no cursors', async () => {
  const { data } = await askOnce(
    '{ messages(conversationId: "c1") { edges { cursor } pageInfo { startCursor endCursor } } }',
    { 'GET /v1/messages': wirePage([]) },
  );

  expect(data.messages).toEqual({
    edges: [],
    pageInfo: { startCursor: null, endCursor: null },
  });
});

test('the same list under two aliases costs the calls of one', async () => {
  await using upstream = await startList(numbered(640), {
    ...BY_ID.service,
    maxLimit: 50,
  });
  await using gateway = await startTestGateway(upstream.url, BY_ID.settings);

  const { data, errors } = await gateway.ask(`{
    a: messages(conversationId: "c1", last: 3) { nodes { id } }
    b: messages(conversationId: "c1", last: 3) { pageInfo { hasPreviousPage } }
  }`);

  expect(errors).toBeUndefined();
  expect(data).toEqual({
    a: { nodes: [{ id: 'm637' }, { id: 'm638' }, { id: 'm639' }] },
    b: { pageInfo: { hasPreviousPage: true } },
  });
  expect(upstream.queries()).toHaveLength(13);
});

test.each([
  [LETTERS, ['limit=100']],
  [numbered(640), ['limit=100', 'limit=200', 'limit=400', 'limit=800']],
])('by limit, the end of a list is found by doubling `limit`', async (list, queries) => {
  const pager = startPager(list, BY_LIMIT);

  expect((await pager.page('last: 2')).ids).toEqual([...list].slice(-2));
  expect(pager.service.queries()).toEqual(queries);
});

// security: endless-list
test('one list makes at most MAX_CALLS_PER_LIST calls', async () => {
  const style = withService(BY_LIMIT, {}, { MAX_CALLS_PER_LIST: '3' });
  const pager = startPager(numbered(2000), style);

  expect((await pager.page('last: 5')).text).toMatch(
    /^PAGE_OUT_OF_REACH.*MAX_CALLS_PER_LIST/,
  );
  expect(pager.service.queries()).toHaveLength(3);
});

test('no call asks for more than MAX_LIMIT, even if the service returns less', async () => {
  for (const service of [{ maxLimit: 25, refuse: 400 } as const, { maxLimit: 4 }]) {
    const most = service.maxLimit === 25 ? 25 : 5;
    const style = withService(BY_ID, service, { MAX_LIMIT: `${most}` });
    const pager = startPager(MANY, style);

    expect((await pager.page('first: 60')).ids).toEqual(MANY.slice(0, 60));
    const limits = pager.service
      .queries()
      .map((query) => Number(/limit=(\d+)/.exec(query)?.[1]));
    expect(Math.max(...limits)).toBe(most);
  }
});

test.each(STYLES.slice(1))(
  'a service that does not know `$name` is recognized',
  async ({ name, settings }) => {
    const pager = startPager(MANY, { settings, service: {} });
    await pager.page('first: 100');

    for (const args of ['first: 100, after: m099', 'last: 3']) {
      const { text } = await pager.page(args);
      expect(text).toMatch(/^PAGE_OUT_OF_REACH.*PAGING/);
      if (name === 'starting_after') expect(text).toContain(name);
    }
    expect(pager.service.queries().length).toBeLessThan(15);
  },
);

describe('with PAGING=limit, when the service', () => {
  test('caps `limit` silently, pages beyond the cap are an error that names it', async () => {
    const pager = startPager(LETTERS, withService(BY_LIMIT, { maxLimit: 15 }));

    expect((await pager.page('first: 10')).text).toBe('abcdefghij>');
    for (const args of ['first: 16', 'first: 10, after: j', 'last: 1']) {
      expect((await pager.page(args)).text).toMatch(/^PAGE_OUT_OF_REACH.*15.*PAGING/);
    }
  });

  test.each([400, 422] as const)('answers %i, it is asked for ten', async (refuse) => {
    const style = withService(BY_LIMIT, { maxLimit: 15, refuse });
    const pager = startPager(LETTERS, style);

    expect((await pager.page('first: 20')).code).toBe('PAGE_OUT_OF_REACH');
    expect(pager.service.queries()).toEqual(['limit=20', 'limit=10']);
    expect((await startPager('abc', style).page('first: 20')).text).toBe('abc');
  });

  test('refuses even ten, its refusal is passed on', async () => {
    const style = withService(BY_LIMIT, { maxLimit: 5, refuse: 422 });
    const pager = startPager(LETTERS, style);

    expect((await pager.page('first: 20')).code).toBe('BAD_USER_INPUT');
    expect(pager.service.queries()).toEqual(['limit=20', 'limit=10']);
  });

  test('ignores `limit` and returns all items, they are cut into pages', async () => {
    const always = wirePage([...LETTERS].map((id) => wireMessage(id)));
    const pager = startPager('', withService(BY_LIMIT, { always }));

    expect(await pager.walk({ size: 7 })).toEqual([...LETTERS]);
    expect((await pager.page('first: 3')).text).toBe('abc>');
  });
});
