import { expect, test } from 'vitest';
import type { UpstreamAnswer } from '../support/upstream.ts';
import { wireConversation, wirePage } from '../support/wire.ts';
import {
  type LenientOptions,
  pointOf,
  probeLenient,
  readsToEnd,
  runCheck,
  runProbe,
  startLenient,
  verdict,
  type Window,
} from './support.ts';

/** Pages by the id of an item: after it, before it, or from it on. */
const byId =
  (names: { after?: string; before?: string; from?: string }): Window =>
  (query, ids) => {
    const after = query.get(names.after ?? '');
    const before = query.get(names.before ?? '');
    const from = query.get(names.from ?? '');
    const limit = Number(query.get('limit') ?? 10);
    if (after !== null) return ids.slice(ids.indexOf(after) + 1);
    if (from !== null) return ids.slice(Math.max(0, ids.indexOf(from)));
    if (before === null) return ids;
    const index = ids.indexOf(before);
    return ids.slice(Math.max(0, index - limit), index);
  };

const byOffset =
  (name: string): Window =>
  (query, ids) =>
    ids.slice(Number(query.get(name) ?? 0));

/** Pages by number; the first page has the number `first`. */
const byPage =
  (name: string, first: number, size?: number): Window =>
  (query, ids) => {
    const limit = size ?? Number(query.get('limit') ?? 10);
    return ids.slice((Number(query.get(name) ?? first) - first) * limit);
  };

const startingAfter = byId({ after: 'starting_after', before: 'ending_before' });

/** One service of each style that has a parameter. */
const STYLES: readonly (readonly [string, Window])[] = [
  ['starting_after', startingAfter],
  ['offset', byOffset('offset')],
  ['page', byPage('page', 1)],
  ['page from zero', byPage('page', 0)],
];

const NO_PARAMETER: readonly [string, Window] = ['limit', (_query, ids) => ids];

test.each<
  [
    what: string,
    service: LenientOptions,
    style: string,
    param?: string,
    backParam?: string,
  ]
>([
  [
    'the id of an item in "before", from new to old',
    { window: byId({ after: 'before', before: 'after' }) },
    'starting_after',
    'before',
    'after',
  ],
  [
    'the id of an item, forward only',
    { window: byId({ after: 'cursor' }) },
    'starting_after',
    'cursor',
  ],
  [
    'the id of the first item of the page',
    { window: byId({ from: 'from_id' }) },
    'limit',
  ],
  [
    'the id of an item, for all newer ones',
    {
      window: (query, ids) => {
        const since = query.get('since_id');
        return since === null ? ids : ids.slice(0, ids.indexOf(since));
      },
    },
    'limit',
  ],
  ['an offset in "page"', { window: byOffset('page') }, 'offset', 'page'],
  [
    'page numbers, with a page size of its own',
    { window: byPage('page', 1, 10), pageSize: 10 },
    'page',
    'page',
  ],
  [
    'offset, with a page size of its own',
    { window: byOffset('offset'), pageSize: 10 },
    'offset',
    'offset',
  ],
  [
    'offset, with short pages',
    { window: byOffset('offset'), maxLimit: 4 },
    'offset',
    'offset',
  ],
  [
    'limit only, and filters by "from"',
    { window: (query, ids) => (query.has('from') ? [] : ids) },
    'limit',
  ],
])(
  'the probe understands a service that ignores unknown parameters and pages by %s',
  async (_what, service, style, param, backParam) => {
    const { paging } = await probeLenient(service);

    expect(paging.finding).toMatchObject({
      style,
      param: param ?? null,
      backParam: backParam ?? null,
    });
  },
);

const REFUSING: LenientOptions = {
  answer: (_call, line) =>
    /limit=(2[1-9]|[3-9]\d|\d{3})/.test(line) ? { status: 422 } : undefined,
};
const OFFSET = { PAGING: 'offset' };
const inMessages: Window = (query, ids) =>
  ids[0]?.startsWith('msg') ? startingAfter(query, ids) : ids;

test.each<[what: string, service: LenientOptions, env?: Record<string, string>]>([
  ['no parameter, and a maximum that is set', {}, { MAX_LIMIT: '20' }],
  ['no parameter, and a refused limit', REFUSING],
  ['few items, and a refused limit', { size: 18, ...REFUSING }],
  ['the same, and its maximum set', { size: 18, ...REFUSING }, { MAX_LIMIT: '20' }],
  ['ten items, and a refused limit', { size: 10, ...REFUSING }],
  ['pages too short to learn', { window: byOffset('offset'), maxLimit: 4 }],
  ['numbers for pages of its own size', { window: byPage('page', 1, 10), pageSize: 10 }],
  ['offset, and pages of its own size', { window: byOffset('offset'), pageSize: 10 }],
  ['pages from zero, and a maximum', { window: byPage('page', 0), maxLimit: 20 }],
  ['short pages, PAGING set', { window: byOffset('offset'), maxLimit: 4 }, OFFSET],
  ['a parameter in one list only', { window: inMessages, maxLimit: 12 }],
])(
  'the check says whether the gateway reads lists to their ends: %s',
  async (_what, options, settings = {}) => {
    await using service = await startLenient(options);
    const env = { MESSAGING_URL: service.url, ...settings };
    const { out } = await runCheck(env);

    expect(out.slice(-60)).toContain(verdict(out, await readsToEnd(env, 50, 60)));
  },
);

test.each([3, 4, 5, 7, 17, 18, 60])(
  'the probe finds every paging style in a list of %j items',
  async (size) => {
    for (const [style, window] of [...STYLES, NO_PARAMETER]) {
      const { paging } = await probeLenient({ size, window });

      expect(paging.finding).toMatchObject({
        style,
        param: style === 'limit' ? null : (style.split(' ')[0] ?? ''),
        backParam: style === 'starting_after' ? 'ending_before' : null,
      });
    }
  },
);

test('with fewer than three messages, paging is unknown and the report says why', async () => {
  for (const size of [0, 2]) {
    const { report, paging } = await probeLenient({ size, window: byOffset('offset') });

    expect(paging).toMatchObject({
      finding: null,
      confidence: 'unknown',
      evidence: 'no list is long enough: fewer than 3 items in each',
    });
    expect(report.settings).not.toHaveProperty('PAGING');
    expect(pointOf(report, 15).finding).toMatchObject({
      unknownMessage: 404,
      badToken: 401,
    });
  }
});

test('the report says that a parameter with another name must exist if pages are capped', async () => {
  const { paging } = await probeLenient({ window: byOffset('weiter'), maxLimit: 20 });

  expect(paging.finding).toMatchObject({ style: 'limit' });
  expect(paging.confidence).toBe('guess');
  expect(paging.evidence).toContain('there must be a parameter with another name');
});

const SHIFTS = {
  'gains an item at its head': (ids: string[], call: number) =>
    ids.unshift(`msg_${call}`),
  'gains an item in the middle': (ids: string[], call: number) =>
    ids.splice(4, 0, `msg_${call}`),
  'gains an item at its end': (ids: string[], call: number) => ids.push(`msg_${call}`),
  'loses its head': (ids: string[]) => ids.shift(),
  'loses an item in the middle': (ids: string[]) => ids.splice(4, 1),
};

test.each(Object.entries(SHIFTS))(
  'for a list that %s during the probe, the paging style is right or unknown',
  async (what, shift) => {
    for (const every of [1, 2, 3, 7]) {
      for (const [style, window] of [...STYLES, NO_PARAMETER]) {
        const { paging } = await probeLenient({
          size: 120,
          window,
          before: (call, messages) => {
            if (call % every === 0) shift(messages, call);
          },
        });

        const found = paging.finding ?? { style: null, backParam: null };
        expect([style, null]).toContain(found.style);
        // If the anchor itself is deleted, no response can show what the parameter does.
        const isCalm = every > 2 && !what.startsWith('loses');
        if (isCalm && style !== 'limit') expect(found.style).toBe(style);
        expect(['ending_before', null]).toContain(found.backParam);
      }
    }
  },
);

test('the probe reads the messages of one conversation if the service lists no others', async () => {
  const { report } = await probeLenient({
    window: byOffset('offset'),
    answer: (_call, line) =>
      /^GET \/v1\/messages(\?(?!.*conversation_id)|$)/.test(line)
        ? { status: 400, body: { error: 'conversation_id is required' } }
        : undefined,
  });

  expect(pointOf(report, 8).finding).toMatchObject({ style: 'offset' });
  expect(pointOf(report, 9).finding).toMatchObject({ messages: 'newest' });
});

test('the report names fields that differ from the interface, without their values', async () => {
  const odd = { thread_id: 'secret', created_at: 'yesterday', contact: 7 };
  const { report } = await probeLenient({
    answer: (_call, line) =>
      line.startsWith('GET /v1/messages?') || line === 'GET /v1/messages'
        ? { body: { has_more: false, data: [odd], next_cursor: 'secret' } }
        : undefined,
  });

  expect(report.fields.unknown).toEqual([
    'list.next_cursor: string',
    'message.thread_id: string',
  ]);
  expect(report.fields.otherType).toEqual([
    'message.created_at: string',
    'message.contact: number',
  ]);
  expect(report.fields.missing).toContain('message.id');
  expect(JSON.stringify(report)).not.toContain('secret');
});

test.each<[what: string, line: RegExp, answer: UpstreamAnswer, says: string]>([
  [
    'a key that may be data',
    /conversations$/,
    { body: wirePage([wireConversation('c1', { 'Ann Lee': 1 })]) },
    'conversation.(a key): number',
  ],
  [
    'timestamps in two units',
    /conversations$/,
    { body: wirePage([wireConversation('c1', { last_opened_at: 1_700_000_000_000 })]) },
    'timestamps are not plausible dates in one unit',
  ],
  [
    'a success for an unknown id',
    /conversations\//,
    { body: {} },
    'an unknown id was answered with success',
  ],
  [
    'a 400 for an unknown id',
    /conversations\//,
    { status: 400 },
    'the gateway shows an error for 400, but null for 404 and 410',
  ],
])('the report tells of %s', async (_what, expected, answer, says) => {
  const { report } = await probeLenient({
    answer: (_call, line) => (expected.test(line) ? answer : undefined),
  });

  expect(JSON.stringify(report)).toContain(says);
  expect(JSON.stringify(report)).not.toContain('Ann Lee');
});

test('the report names headers about rate limits', async () => {
  const { report } = await probeLenient({
    answer: (call) =>
      call === 4 ? { status: 404, headers: { 'x-ratelimit-limit': '100' } } : undefined,
  });

  expect(pointOf(report, 17).finding).toEqual({
    headers: ['x-ratelimit-limit'],
    met: 0,
    retryAfter: null,
  });
});

test.each<[what: string, answer: UpstreamAnswer, stopped: string, calls: number]>([
  [
    'asks to wait too long',
    { status: 429, headers: { 'retry-after': '60' } },
    'the service limits calls (429, wait 60 s)',
    10,
  ],
  ['stops answering', { broken: 'before' }, 'the service no longer answers', 15],
  [
    'no longer accepts the token',
    { status: 401 },
    'the service no longer accepts the token (401)',
    10,
  ],
])(
  'the probe ends if the service %s, and the report has what was found until then',
  async (_what, answer, stopped, calls) => {
    const { report, paging } = await probeLenient({
      answer: (call) => (call > 9 ? answer : undefined),
    });

    expect(report.stopped).toBe(stopped);
    expect(report.calls).toBe(calls);
    expect(paging.finding).toBeNull();
    expect(pointOf(report, 9).finding).toMatchObject({ messages: 'newest' });
  },
);

test('the probe sends one call to a service that starts with a long Retry-After, and reports only that', async () => {
  const { report } = await probeLenient({
    answer: () => ({ status: 429, headers: { 'retry-after': '3600' } }),
  });

  expect(report.calls).toBe(1);
  expect(report.settings).toEqual({ MESSAGING_URL: report.url });
  const known = report.points.filter(({ finding }) => finding !== null);
  expect(known.map(({ number }) => number)).toEqual([15, 17]);
});

test('the probe announces and sends at most 60 calls', async () => {
  await using service = await startLenient({
    // No name explains this page, so each is tried again.
    window: (query, ids) => (query.size > 1 ? ids.slice(9) : ids),
  });

  const { out, err } = await runProbe([service.url, '--json']);

  expect(err).toMatch(`At most 60 reads from ${service.url}; nothing is written.\n`);
  expect(service.calls.length).toBe(60);
  expect(JSON.parse(out).stopped).toBe('all 60 calls were used');
});

test('the probe repeats a call whose connection breaks, and loses no finding', async () => {
  const { paging } = await probeLenient({
    window: byOffset('offset'),
    answer: (call) => (call % 4 === 0 ? { broken: 'before' } : undefined),
  });

  expect(paging.finding).toMatchObject({ style: 'offset' });
});
