import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { type ListOptions, startList } from '../support/list.ts';
import {
  BY_ID,
  BY_UNKNOWN_ID,
  LEARNING,
  numbered,
  STYLES,
  type Style,
  startPager,
} from '../support/pager.ts';

const MANY = numbered(350);

const auto = (service: ListOptions) => ({ service, settings: {} });

test('the first page behind a cursor, after a restart and far down the list, reads its head and not all items before it', async () => {
  const one = startPager(MANY, auto(BY_ID.service));
  let page = await one.page('first: 100');
  for (let turn = 0; turn < 2; turn += 1)
    page = await one.page(`first: 100, after: "${page.end}"`);
  const two = startPager(MANY, auto(BY_ID.service));

  const next = await two.page(`first: 10, after: "${page.end}"`);

  expect(next.ids).toEqual(MANY.slice(300, 310));
  expect(two.service.queries()).toEqual([
    'limit=11',
    'limit=2&starting_after=m003',
    expect.stringMatching(/^limit=2&starting_after=\w{5,}$/),
    'limit=2&ending_before=m005',
    'limit=11&starting_after=m298',
  ]);
});

describe.each(LEARNING)('with $name', (style) => {
  test('a first page costs one call, whatever was learned', async () => {
    const pager = startPager(MANY, style);

    for (const size of [100, 10, 1]) {
      const before = pager.service.queries().length;
      expect((await pager.page(`first: ${size}`)).ids).toEqual(MANY.slice(0, size));
      expect(pager.service.queries().slice(before)).toEqual([`limit=${size}`]);
      await pager.page('first: 10, after: m000');
    }
  });
});

/** The cap, and whether a style is there to read beyond it. */
const CAPS = LEARNING.flatMap((style) =>
  [{}, { refuse: 400 as const }].map((cap) => ({ ...style, cap })),
);

describe.each(CAPS)(
  'with $name, which caps `limit` at 25 ($cap)',
  ({ cap, ...style }) => {
    const service = { ...style.service, ...cap, maxLimit: 25 };
    const isReachable =
      ['after', 'page'].some((name) => name in service) || service.offset === 'offset';

    test('a first page beyond the cap is complete, or ends with an error, and the cap is met once', async () => {
      const pager = startPager(MANY, { ...style, service });

      const { code, ids } = await pager.page('first: 60');

      if (isReachable) expect(ids).toEqual(MANY.slice(0, 60));
      else expect(code).toBe('PAGE_OUT_OF_REACH');
      // A refusal, the head with ten, five calls to learn, and the rest in parts of ten or more.
      expect(pager.service.queries().length).toBeLessThanOrEqual(2 + 5 + 8);

      await pager.page('first: 60');
      const before = pager.service.queries().length;
      await pager.page('first: 60');
      const again = pager.service.queries().slice(before);
      if (isReachable)
        expect(again.filter((query) => /limit=60/.test(query))).toEqual([]);
    });
  },
);

describe('cursors', () => {
  const ONES: Style[] = [...STYLES, ...BY_UNKNOWN_ID.slice(1, 2)];

  test.each(ONES)(
    'of PAGING=$name and of auto are valid under both, whatever a replica has learned',
    async (style) => {
      const fixed = startPager(MANY, style);
      const learning = startPager(MANY, auto(style.service));
      const pagerFor = (turn: number) =>
        [learning, fixed, startPager(MANY, auto(style.service))][turn % 3] ?? fixed;

      let page = await fixed.page('first: 20');
      const seen = [...page.ids];
      for (let turn = 0; turn < 9; turn += 1) {
        page = await pagerFor(turn).page(`first: 20, after: "${page.end}"`);
        seen.push(...page.ids);
      }
      expect(seen).toEqual(MANY.slice(0, 200));

      const back: (string | null)[] = [];
      for (let turn = 0; turn < 9; turn += 1) {
        page = await pagerFor(turn).page(`last: 20, before: "${page.start}"`);
        back.unshift(...page.ids);
      }
      expect(back).toEqual(MANY.slice(0, 180));
    },
  );
});

describe('a style that stops being true', () => {
  const KINDS: ListOptions[] = STYLES.map(({ service }) => service);
  const TURNS = KINDS.flatMap((from) => KINDS.map((to) => [from, to] as const));

  test.each(TURNS)('from %j to %j loses nothing, is learned again', async (from, to) => {
    const service: Record<string, unknown> = { ...from };
    const pager = startPager(MANY, auto(service));
    const become = () => {
      for (const name of Object.keys(service)) delete service[name];
      Object.assign(service, to);
    };

    let pages = 0;
    const seen = await pager.walk({
      size: 10,
      between() {
        pages += 1;
        if (pages === 6) become();
      },
    });

    expect(seen).toEqual(MANY);
    expect(pager.service.queries().length).toBeLessThanOrEqual(35 + 4 + 20);
    const isPaged = Object.keys(to).length > 0;
    const before = pager.service.carried();
    await pager.page(`first: 10, after: m300`);
    if (isPaged && Object.keys(from).length > 0)
      expect(pager.service.carried() - before).toBeLessThanOrEqual(30);
  });
});

describe('what does not page', () => {
  /** Where the page begins for a value of the parameter; negative: as without it. */
  type ToFrom = (value: string, ids: readonly string[], limit: number) => number;
  const LOOKS: [what: string, param: string, toFrom: ToFrom][] = [
    ['one that includes its own item', 'starting_after', (id, ids) => ids.indexOf(id)],
    ['an offset that counts from one', 'offset', (count) => Number(count) - 1],
    ['a page from zero', 'page', (page, _ids, limit) => Number(page) * limit],
    [
      'an offset that counts pages',
      'offset',
      (page, _ids, limit) => Number(page) * limit,
    ],
    [
      'one that reads the other way',
      'starting_after',
      (id, ids, limit) => ids.indexOf(id) - limit,
    ],
    ['one that returns any other items', 'starting_after', () => 50],
    ['one that empties the page', 'starting_after', (_id, ids) => ids.length],
  ];

  // security: learned-paging
  test.each(LOOKS)('is not taken for paging: %s', async (_, param, toFrom) => {
    const find: ListOptions['find'] = (query, ids) => {
      const limit = Number(query.get('limit') ?? 10);
      const value = query.get(param);
      const from = value === null ? -1 : toFrom(value, ids, limit);
      return from < 0 ? null : ids.slice(from, from + limit);
    };
    const pager = startPager(MANY, auto({ find }));

    expect(await pager.walk({ size: 10 })).toEqual(MANY);
    expect(
      pager
        .learned()
        .map(({ paging }) => paging)
        .filter((name) => name !== 'limit'),
    ).toEqual([]);
  });
});

describe('the extra calls', () => {
  // security: learned-paging
  test.each(STYLES)('are shared by operations at once: $name', async ({ service }) => {
    const pager = startPager(MANY, auto(service));
    const { end } = await pager.page('first: 10');

    const pages = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        pager.page(`first: ${11 + index}, after: "${end}"`),
      ),
    );

    for (const [index, page] of pages.entries())
      expect(page.ids).toEqual(MANY.slice(10, 21 + index));
    expect(pager.service.queries().length).toBeLessThanOrEqual(1 + 10 + 4);
  });

  test('are waited for by first pages that a cap cuts short', async () => {
    const pager = startPager(MANY, auto({ ...BY_ID.service, maxLimit: 20 }));

    const pages = await Promise.all(
      [50, 51, 52, 53].map((size) => pager.page(`first: ${size}`)),
    );

    expect(pages.map(({ ids }) => ids.length)).toEqual([50, 51, 52, 53]);
  });

  test('are not made if the operation leaves no call for them', async () => {
    const pager = startPager(MANY, {
      service: BY_ID.service,
      settings: { MAX_REST_CALLS: '1' },
    });

    expect(await pager.walk({ size: 50 })).toEqual(MANY);
    expect(pager.service.queries()).toEqual(
      [50, 100, 150, 200, 250, 300, 350].map((limit) => `limit=${limit}`),
    );
  });

  test.each(['1', '2', '3'])('leave MAX_CALLS_PER_LIST=%s its page', async (most) => {
    for (const { service } of STYLES) {
      const pager = startPager(MANY, { service, settings: { MAX_CALLS_PER_LIST: most } });

      expect(await pager.walk({ size: 50 })).toEqual(MANY);
    }
  });

  // security: learned-paging
  test('are made with the token of the caller that reads the page, once for all callers', async () => {
    await using upstream = await startList(MANY, BY_ID.service);
    await using gateway = await startTestGateway(upstream.url);
    const ask = (token: string, after: string) =>
      gateway.ask(
        `{ messages(conversationId: "c1", first: 10 ${after}) { pageInfo { endCursor } } }`,
        { token },
      );
    const toAfter = (answer: Awaited<ReturnType<typeof ask>>) =>
      `after: "${answer.data.messages.pageInfo.endCursor}"`;
    const ann = toAfter(await ask('ann', ''));
    const bob = toAfter(await ask('bob', ''));
    await ask('ann', ann);
    const before = upstream.calls.length;

    await ask('bob', bob);

    expect(upstream.queries().slice(before)).toEqual(['limit=11&starting_after=m008']);
    expect(upstream.calls.slice(before).map(({ token }) => token)).toEqual([
      'Bearer bob',
    ]);
    const learning = upstream.calls.slice(2, before);
    expect(new Set(learning.map(({ token }) => token))).toEqual(new Set(['Bearer ann']));
  });

  test('end where the service does not answer them', async () => {
    const find = (query: URLSearchParams) => {
      if (query.has('starting_after')) throw new Error('down');
      return null;
    };

    expect(await startPager(MANY, auto({ find })).walk({ size: 50 })).toEqual(MANY);
  });
});
