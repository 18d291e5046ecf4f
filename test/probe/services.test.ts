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

/** The part of a list behind, or in front of, the item that a parameter names. */
const beside =
  (names: { after?: string; before?: string; from?: string }): Window =>
  (query, ids) => {
    const after = names.after === undefined ? null : query.get(names.after);
    const before = names.before === undefined ? null : query.get(names.before);
    const from = names.from === undefined ? null : query.get(names.from);
    const limit = Number(query.get('limit') ?? 10);
    if (after !== null) return ids.slice(ids.indexOf(after) + 1);
    if (from !== null) return ids.slice(Math.max(0, ids.indexOf(from)));
    if (before === null) return ids;
    const place = ids.indexOf(before);
    return ids.slice(Math.max(0, place - limit), place);
  };

const skipping =
  (name: string): Window =>
  (query, ids) =>
    ids.slice(Number(query.get(name) ?? 0));

const turning =
  (name: string, first: number, size?: number): Window =>
  (query, ids) => {
    const limit = size ?? Number(query.get('limit') ?? 10);
    return ids.slice((Number(query.get(name) ?? first) - first) * limit);
  };

interface Expected extends LenientOptions {
  readonly name: string;
  readonly style: string;
  readonly param: string | null;
  readonly backParam?: string | null;
}

const LENIENT: readonly Expected[] = [
  { name: 'nothing at all', style: 'limit', param: null },
  {
    name: 'ids',
    window: beside({ after: 'starting_after', before: 'ending_before' }),
    style: 'starting_after',
    param: 'starting_after',
    backParam: 'ending_before',
  },
  {
    name: 'ids of older items, under "before"',
    window: beside({ after: 'before', before: 'after' }),
    style: 'starting_after',
    param: 'before',
    backParam: 'after',
  },
  {
    name: 'ids, one way only',
    window: beside({ after: 'cursor' }),
    style: 'starting_after',
    param: 'cursor',
  },
  {
    name: 'an id the page begins with',
    window: beside({ from: 'from_id' }),
    style: 'limit',
    param: null,
  },
  {
    name: 'an id of newer items',
    window: (query, ids) => {
      const since = query.get('since_id');
      return since === null ? ids : ids.slice(0, ids.indexOf(since));
    },
    style: 'limit',
    param: null,
  },
  { name: 'offset', window: skipping('offset'), style: 'offset', param: 'offset' },
  { name: 'skip', window: skipping('skip'), style: 'offset', param: 'skip' },
  { name: 'page numbers', window: turning('page', 1), style: 'page', param: 'page' },
  { name: 'page numbers, under "p"', window: turning('p', 1), style: 'page', param: 'p' },
  {
    name: 'page numbers from zero',
    window: turning('page', 0),
    style: 'page from zero',
    param: 'page',
  },
  {
    name: 'an offset under "page"',
    window: skipping('page'),
    style: 'offset',
    param: 'page',
  },
  {
    name: 'pages of its own length',
    window: turning('page', 1, 10),
    pageSize: 10,
    style: 'page',
    param: 'page',
  },
  {
    name: 'offset, pages of its own length',
    window: skipping('offset'),
    pageSize: 10,
    style: 'offset',
    param: 'offset',
  },
  {
    name: 'offset in short pages',
    window: skipping('offset'),
    maxLimit: 4,
    style: 'offset',
    param: 'offset',
  },
  {
    name: 'a filter called "from"',
    window: (query, ids) => (query.has('from') ? [] : ids),
    style: 'limit',
    param: null,
  },
];

test.each(LENIENT)(
  'a service that ignores unknown parameters and pages by $name',
  async ({ style, param, backParam = null, ...options }) => {
    const { report, lines } = await probeLenient(options);

    expect(pointOf(report, 8).finding).toMatchObject({ style, param, backParam });
    expect(lines.length).toBe(report.calls);
    expect(report.calls).toBeLessThanOrEqual(60);
  },
);

test.each([3, 4, 5, 6, 7, 9, 12, 17, 18, 30])(
  'a list of %j items is enough',
  async (size) => {
    const windows = {
      starting_after: beside({ after: 'starting_after', before: 'ending_before' }),
      offset: skipping('offset'),
      page: turning('page', 1),
      'page from zero': turning('page', 0),
    };

    for (const [style, window] of Object.entries(windows)) {
      const { report } = await probeLenient({ size, window });
      expect([style, pointOf(report, 8).finding?.style]).toEqual([style, style]);
    }
  },
);

test.each([0, 1, 2])(
  'with %j messages paging is unknown, and the report says why',
  async (size) => {
    const { report } = await probeLenient({ size, window: skipping('offset') });

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

test('a name that is not in the list of names is not found, and the report says so', async () => {
  const { report } = await probeLenient({ window: skipping('weiter'), maxLimit: 20 });

  const paging = pointOf(report, 8);
  expect(paging.finding?.style).toBe('limit');
  expect(paging.confidence).toBe('guess');
  expect(paging.evidence).toContain('there must be a parameter of another name');
});

const SHIFTS = {
  'gains an item at its head': (ids: string[], call: number) =>
    ids.unshift(`msg_${call}`),
  'gains an item within': (ids: string[], call: number) =>
    ids.splice(4, 0, `msg_${call}`),
  'gains an item at its end': (ids: string[], call: number) => ids.push(`msg_${call}`),
  'loses its head': (ids: string[]) => ids.shift(),
  'loses an item within': (ids: string[]) => ids.splice(4, 1),
};

const STYLES: Record<string, Window> = {
  starting_after: beside({ after: 'starting_after', before: 'ending_before' }),
  offset: skipping('offset'),
  page: turning('page', 1),
  'page from zero': turning('page', 0),
  limit: (_query, ids) => ids,
};

const SHIFTING = Object.entries(SHIFTS).flatMap(([what, shift]) =>
  [1, 2, 3, 7].map((every) => ({ what, shift, every })),
);

test.each(SHIFTING)(
  'a list that $what every $every calls is read right, or left unknown',
  async ({ what, shift, every }) => {
    for (const [style, window] of Object.entries(STYLES)) {
      const { report } = await probeLenient({
        size: 120,
        window,
        before: (call, { messages }) => {
          if (call % every === 0) shift(messages, call);
        },
      });

      const { finding } = pointOf(report, 8);
      expect([style, null]).toContain(finding?.style ?? null);
      // Where the item itself goes away that a name is tried on, no answer tells.
      const isCalm = every > 2 && !what.startsWith('loses');
      if (isCalm && style !== 'limit') expect(finding?.style).toBe(style);
      if (finding?.backParam != null) expect(finding.backParam).toBe('ending_before');
    }
  },
);

test('messages that are listed by conversation alone are found there', async () => {
  const { report } = await probeLenient({
    window: skipping('offset'),
    answer: (_call, line) =>
      /^GET \/v1\/messages(\?(?!.*conversation_id)|$)/.test(line)
        ? { status: 400, body: { error: 'conversation_id is required' } }
        : undefined,
  });

  expect(pointOf(report, 8).finding).toMatchObject({ style: 'offset' });
  expect(pointOf(report, 9).finding).toMatchObject({ messages: 'newest' });
});

test('what the interface does not show is named, without its values', async () => {
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

test('a Retry-After of a second is waited out', async () => {
  const started = performance.now();
  const { report } = await probeLenient({
    window: beside({ after: 'starting_after', before: 'ending_before' }),
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
}, 20_000);

test('a long Retry-After ends the probe, with what was found until then', async () => {
  const { report, lines } = await probeLenient({
    answer: (call) =>
      call > 6 ? { status: 429, headers: { 'retry-after': '60' } } : undefined,
  });

  expect(lines.length).toBe(7);
  expect(report.stopped).toContain('429');
  expect(pointOf(report, 8).finding).toBeNull();
  expect(pointOf(report, 9).finding).toMatchObject({ messages: 'newest' });
});

test('headers that tell of rate limits are named', async () => {
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

test.each([1, 5, 12, 30])(
  'no more than %j calls are made when so many are announced',
  async (maxCalls) => {
    await using service = await startLenient();
    const progress: string[] = [];
    const report = await probe({
      url: service.url,
      token: TOKEN,
      maxCalls,
      onProgress: (line) => progress.push(line),
    });

    expect(service.calls.length).toBeLessThanOrEqual(maxCalls);
    expect(progress[0]).toBe(
      `At most ${maxCalls} reads from ${service.url}; nothing is written.`,
    );
    expect(report.calls).toBe(service.calls.length);
  },
);

test('more than 60 calls are never announced or made', async () => {
  await using service = await startLenient({ maxLimit: 3 });
  const progress: string[] = [];
  await probe({
    url: service.url,
    token: TOKEN,
    maxCalls: 500,
    onProgress: (line) => progress.push(line),
  });

  expect(progress[0]).toContain('At most 60 reads');
  expect(service.calls.length).toBeLessThanOrEqual(60);
});

test('a connection that breaks once costs one more call and no finding', async () => {
  const { report } = await probeLenient({
    window: skipping('offset'),
    answer: (call) => (call % 4 === 0 ? { broken: 'before' } : undefined),
  });

  expect(pointOf(report, 8).finding).toMatchObject({ style: 'offset' });
});

test('a service that answers no longer ends the probe, with what was found until then', async () => {
  const { report, lines } = await probeLenient({
    answer: (call) => (call > 9 ? { broken: 'before' } : undefined),
  });

  expect(report.stopped).toBe('the service answers no longer');
  expect(lines.length).toBe(15);
  expect(pointOf(report, 8).finding).toBeNull();
});

test('a service that begins with a long wait is asked once, and nothing is said of it but that', async () => {
  const { report, lines } = await probeLenient({
    answer: () => ({ status: 429, headers: { 'retry-after': '3600' } }),
  });

  expect(lines.length).toBe(1);
  expect(report.settings).toEqual({ MESSAGING_URL: report.url });
  const known = report.points.filter(({ finding }) => finding !== null);
  expect(known.map(({ number }) => number)).toEqual([15, 17]);
});

test('a probe that is told to stop reports what it has', async () => {
  await using service = await startLenient();
  const stop = new AbortController();
  const report = await probe({
    url: service.url,
    token: TOKEN,
    signal: stop.signal,
    onProgress: (line) => {
      if (line.startsWith('[9/')) stop.abort();
    },
  });

  expect(report.stopped).toBe('it was told to stop');
  expect(pointOf(report, 4).finding).toBe('seconds');
});

test.each([
  ['a token it does not take', { status: 401 }, 'MESSAGING_TOKEN'],
  ['a token without rights', { status: 403 }, 'forbids'],
  [
    'HTML on every path',
    { body: '<html>', headers: { 'content-type': 'text/html' } },
    'not the messaging interface',
  ],
  [
    'HTML that is not found',
    { status: 404, body: '<html>' },
    'not the messaging interface',
  ],
  ['JSON of another kind', { body: { hello: 1 } }, 'not the messaging interface'],
  [
    'a redirect',
    { status: 301, headers: { location: 'https://elsewhere.example' } },
    'not the messaging interface',
  ],
  ['trouble', { status: 503 }, 'try again later'],
])('%s is said in one line', async (_name, answer, text) => {
  await using service = await startLenient({ answer: () => answer });

  const probing = probe({ url: service.url, token: TOKEN });
  await expect(probing).rejects.toMatchObject({
    name: 'ProbeError',
    message: expect.stringContaining(text),
  });
  await expect(probing).rejects.toMatchObject({
    message: expect.not.stringContaining('\n'),
  });
});

test('no service at the address is said, with the reason', async () => {
  const probing = probe({ url: 'http://127.0.0.1:9', token: TOKEN });

  await expect(probing).rejects.toThrow(/no answer at this address \(.*ECONNREFUSED/);
});
