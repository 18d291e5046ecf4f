import { expect, test } from 'vitest';
import { probe } from '../../src/probe/probe.ts';
import {
  type LenientOptions,
  pointOf,
  startLenient,
  TOKEN,
  type Window,
} from './service.ts';

async function probeLenient(options: LenientOptions = {}) {
  await using service = await startLenient(options);
  const report = await probe({ url: service.url, token: TOKEN });
  return { report, lines: service.lines() };
}

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

interface Expected extends LenientOptions {
  readonly name: string;
  readonly style: string;
  readonly param: string | null;
  readonly backParam?: string | null;
}

const LENIENT: readonly Expected[] = [
  {
    name: 'the id of an item in "before", from new to old',
    window: byId({ after: 'before', before: 'after' }),
    style: 'starting_after',
    param: 'before',
    backParam: 'after',
  },
  {
    name: 'the id of an item, forward only',
    window: byId({ after: 'cursor' }),
    style: 'starting_after',
    param: 'cursor',
  },
  {
    name: 'the id of the first item of the page',
    window: byId({ from: 'from_id' }),
    style: 'limit',
    param: null,
  },
  {
    name: 'the id of an item, for all newer ones',
    window: (query, ids) => {
      const since = query.get('since_id');
      return since === null ? ids : ids.slice(0, ids.indexOf(since));
    },
    style: 'limit',
    param: null,
  },
  {
    name: 'page numbers from zero',
    window: byPage('page', 0),
    style: 'page from zero',
    param: 'page',
  },
  {
    name: 'an offset in "page"',
    window: byOffset('page'),
    style: 'offset',
    param: 'page',
  },
  {
    name: 'page numbers, with a page size of its own',
    window: byPage('page', 1, 10),
    pageSize: 10,
    style: 'page',
    param: 'page',
  },
  {
    name: 'offset, with a page size of its own',
    window: byOffset('offset'),
    pageSize: 10,
    style: 'offset',
    param: 'offset',
  },
  {
    name: 'offset, with short pages',
    window: byOffset('offset'),
    maxLimit: 4,
    style: 'offset',
    param: 'offset',
  },
  {
    name: 'limit only, and filters by "from"',
    window: (query, ids) => (query.has('from') ? [] : ids),
    style: 'limit',
    param: null,
  },
];

test.each(LENIENT)(
  'the probe understands a service that ignores unknown parameters and pages by $name',
  async ({ style, param, backParam = null, ...options }) => {
    const { report, lines } = await probeLenient(options);

    expect(pointOf(report, 8).finding).toMatchObject({ style, param, backParam });
    expect(lines.length).toBe(report.calls);
    expect(report.calls).toBeLessThanOrEqual(60);
  },
);

test.each([3, 4, 5, 7, 12, 17, 18, 60])(
  'the probe finds every paging style in a list of %j items',
  async (size) => {
    for (const [style, window] of [...STYLES, NO_PARAMETER]) {
      const { report, lines } = await probeLenient({ size, window });
      const isById = style === 'starting_after';
      expect(pointOf(report, 8).finding).toMatchObject({
        style,
        param: style === 'limit' ? null : (style.split(' ')[0] ?? ''),
        backParam: isById ? 'ending_before' : null,
      });
      expect(lines.length).toBeLessThanOrEqual(60);
    }
  },
);

test.each([0, 1, 2])(
  'with %j messages, paging is unknown and the report says why',
  async (size) => {
    const { report } = await probeLenient({ size, window: byOffset('offset') });

    expect(pointOf(report, 8)).toMatchObject({
      finding: null,
      confidence: 'unknown',
      evidence: 'no list is long enough: fewer than 3 items in each',
    });
    expect(report.settings).not.toHaveProperty('PAGING');
    expect(pointOf(report, 15).finding).toMatchObject({
      unknownMessage: 404,
      badToken: 401,
    });
  },
);

test('the report says that a parameter with another name must exist if pages are capped', async () => {
  const { report } = await probeLenient({ window: byOffset('weiter'), maxLimit: 20 });

  const paging = pointOf(report, 8);
  expect(paging.finding?.style).toBe('limit');
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

const SHIFTING = Object.entries(SHIFTS).flatMap(([what, shift]) =>
  [1, 2, 3, 7].map((every) => ({ what, shift, every })),
);

test.each(SHIFTING)(
  'for a list that $what every $every calls, the paging style is right or unknown',
  async ({ what, shift, every }) => {
    for (const [style, window] of [...STYLES, NO_PARAMETER]) {
      const { report } = await probeLenient({
        size: 120,
        window,
        before: (call, { messages }) => {
          if (call % every === 0) shift(messages, call);
        },
      });

      const { finding } = pointOf(report, 8);
      expect([style, null]).toContain(finding?.style ?? null);
      // If the anchor itself is deleted, no response can show what the parameter does.
      const isCalm = every > 2 && !what.startsWith('loses');
      if (isCalm && style !== 'limit') expect(finding?.style).toBe(style);
      if (finding?.backParam != null) expect(finding.backParam).toBe('ending_before');
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

test('the probe waits for a short Retry-After', async () => {
  const started = performance.now();
  const { report } = await probeLenient({
    window: startingAfter,
    answer: (call) =>
      call === 10 ? { status: 429, headers: { 'retry-after': '1' } } : undefined,
  });

  expect(performance.now() - started).toBeGreaterThan(1000);
  expect(pointOf(report, 8).finding).toMatchObject({ style: 'starting_after' });
  expect(pointOf(report, 17).finding).toEqual({
    headers: [],
    met: 1,
    retryAfter: 'seconds',
  });
});

test('a long Retry-After ends the probe, and the report has what was found until then', async () => {
  const { report, lines } = await probeLenient({
    answer: (call) =>
      call > 6 ? { status: 429, headers: { 'retry-after': '60' } } : undefined,
  });

  expect(lines.length).toBe(7);
  expect(report.stopped).toContain('429');
  expect(pointOf(report, 8).finding).toBeNull();
  expect(pointOf(report, 9).finding).toMatchObject({ messages: 'newest' });
});

test('the report names headers about rate limits', async () => {
  const { report } = await probeLenient({
    answer: (_call, line) =>
      line.startsWith('GET /v1/conversations')
        ? { headers: { 'x-ratelimit-limit': '100' }, body: { has_more: false, data: [] } }
        : undefined,
  });

  expect(pointOf(report, 17).finding).toEqual({
    headers: ['x-ratelimit-limit'],
    met: 0,
    retryAfter: null,
  });
});

test('the probe announces and sends at most 60 calls', async () => {
  await using service = await startLenient({
    // No name explains this page, so each is tried again.
    window: (query, ids) => (query.size > 1 ? ids.slice(9) : ids),
  });
  const progress: string[] = [];
  const report = await probe({
    url: service.url,
    token: TOKEN,
    onProgress: (line) => progress.push(line),
  });

  expect(progress[0]).toBe(`At most 60 reads from ${service.url}; nothing is written.`);
  expect(service.calls.length).toBe(60);
  expect(report.calls).toBe(60);
  expect(report.stopped).toBe('all 60 calls were used');
});

test('the probe repeats a call whose connection breaks, and loses no finding', async () => {
  const { report } = await probeLenient({
    window: byOffset('offset'),
    answer: (call) => (call % 4 === 0 ? { broken: 'before' } : undefined),
  });

  expect(pointOf(report, 8).finding).toMatchObject({ style: 'offset' });
});

test('the probe ends if the service stops answering, and the report has what was found until then', async () => {
  const { report, lines } = await probeLenient({
    answer: (call) => (call > 9 ? { broken: 'before' } : undefined),
  });

  expect(report.stopped).toBe('the service no longer answers');
  expect(lines.length).toBe(15);
  expect(pointOf(report, 8).finding).toBeNull();
});

test('the probe sends one call to a service that starts with a long Retry-After, and reports only that', async () => {
  const { report, lines } = await probeLenient({
    answer: () => ({ status: 429, headers: { 'retry-after': '3600' } }),
  });

  expect(lines.length).toBe(1);
  expect(report.settings).toEqual({ MESSAGING_URL: report.url });
  const known = report.points.filter(({ finding }) => finding !== null);
  expect(known.map(({ number }) => number)).toEqual([15, 17]);
});

test.each([
  ['that rejects the token', { status: 401 }, 'MESSAGING_TOKEN'],
  ['that forbids reading', { status: 403 }, 'it may not read /v1/conversations (403)'],
  [
    'that answers HTML',
    { body: '<html>', headers: { 'content-type': 'text/html' } },
    'a page for browsers (HTML)',
  ],
  [
    'that answers 404 with HTML',
    { status: 404, body: '<html>' },
    'there is no /v1/conversations below',
  ],
  ['that answers other JSON', { body: { hello: 1 } }, 'with JSON that is not a list'],
  [
    'that redirects',
    { status: 301, headers: { location: 'https://elsewhere.example' } },
    'it redirects (301)',
  ],
  ['that fails', { status: 503 }, 'it fails: it answered 503'],
])(
  'a service %s gets one line that says why, and what to do',
  async (_name, answer, text) => {
    await using service = await startLenient({ answer: () => answer });

    const probing = probe({ url: service.url, token: TOKEN });
    await expect(probing).rejects.toMatchObject({
      name: 'ProbeError',
      message: expect.stringContaining(text),
    });
    await expect(probing).rejects.toMatchObject({
      message: expect.not.stringContaining('\n'),
    });
  },
);

test('without a service at the address, the error has the reason', async () => {
  const probing = probe({ url: 'http://127.0.0.1:9', token: TOKEN });

  await expect(probing).rejects.toThrow(
    'The service does not fit: the connection was refused. "messaging-graphql check"',
  );
});
