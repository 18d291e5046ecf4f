import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { type Call, startEmbeddedService } from '../../src/embedded/service.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';
import { TIMES } from '../trust/runs.ts';
import { expectMisfit, probeAt, readsToEnd, runCheck, verdict } from './support.ts';
import { judge } from './verdicts.ts';

type Options = Partial<Answers>;

/** Every value of every option that reads can meet. */
const VALUES = {
  reactionNames: [null, ['heart', 'seen']],
  attachments: ['nested', 'flat', 'bare'],
  timestampUnit: ['seconds', 'milliseconds', 'microseconds'],
  archived: ['open', 'frozen'],
  readStatus: [200, 201, 203, 206, 299],
  paging: ['none', 'starting_after', 'offset', 'page'],
  unknownCursor: [400, 404, 'empty', 'first'],
  order: ['newest', 'oldest', 'id'],
  errorFormat: ['json', 'problem', 'text', 'html', 'empty'],
  unknownId: [404, 410, 400],
  // biome-ignore format: one number a line is hard to read
  maxLimit: [
    null, 3, 7, 10, 11, 50, 99, 100, 101, 200, 640, 1000, 1500,
  ],
} as const satisfies { readonly [Name in keyof Answers]?: readonly Answers[Name][] };

const singles: readonly Options[] = Object.entries(VALUES).flatMap(([name, values]) =>
  values.map((value) => ({ [name]: value }) as Options),
);
const refusedLimits: readonly Options[] = VALUES.maxLimit.map((maxLimit) => ({
  maxLimit,
  aboveMaxLimit: 422,
}));

/** Names of the paging parameters; under `starting_after`, forward and backward. */
const NAMES: Record<Exclude<Answers['paging'], 'none'>, readonly string[]> = {
  starting_after: [
    'starting_after ending_before',
    'after ending_before',
    'after before',
    'before after',
    'cursor prev_cursor',
    'since_id max_id',
    'since until',
    'after_id before_id',
    'from_id to_id',
    'start_after end_before',
    'page_token prev_page_token',
    'starting_after before',
  ],
  offset: ['offset', 'skip', 'start', 'from'],
  page: ['page', 'page_number', 'p'],
};

const LIMITS: readonly Options[] = [
  {},
  { maxLimit: 50 },
  { maxLimit: 100, aboveMaxLimit: 400 },
  { maxLimit: 7 },
  { maxLimit: 4, aboveMaxLimit: 422 },
];

/** Every style with every limit, and every name with two. Order, unknown cursor and unit vary from row to row, so that they meet one another. */
const pairs: readonly Options[] = Object.entries(NAMES)
  .flatMap(([paging, names]) =>
    names.map((pair) => {
      const [pagingParam = null, pagingBackParam = null] = pair.split(' ');
      return { paging, pagingParam, pagingBackParam } as Options;
    }),
  )
  .flatMap((named, index) =>
    [index, index + 2].map((limit) => ({ ...named, ...pick(LIMITS, limit) })),
  )
  .map((options, index) => ({
    ...options,
    order: pick(VALUES.order, index),
    unknownCursor: pick(VALUES.unknownCursor, index >> 1),
    timestampUnit: pick(VALUES.timestampUnit, Math.floor(index / 5)),
  }));

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T; // the index is within the bounds
}

/** Reads settle these on the sample data. Attachments are not here, because short pages may have none. */
const SETTLED = /^(4|6|8|9|15|16) /;

/** Whether the gateway reads lists to their ends, by the way in which it reads them. */
const reached = new Map<string, boolean>();

/** Walks through the lists of one service for each way of reading; with `npm run fuzz`, of every service. */
async function isWhole(env: Record<string, string>, answers: Options): Promise<boolean> {
  const { paging = 'none', pagingParam, maxLimit, aboveMaxLimit = 'cap' } = answers;
  // Without a setting, a parameter of another name is not found.
  const isFound = env.PAGING !== undefined || (pagingParam ?? paging) === paging;
  const max = maxLimit ?? Number.POSITIVE_INFINITY;
  // Below what the gateway asks for by itself, below a page of the walk, or below the whole list.
  const bounds = [10, 100, 1001].filter((limit) => max < limit);
  const way = [
    env.PAGING,
    isFound ? paging : 'none',
    aboveMaxLimit === 'cap',
    ...bounds,
  ].join();
  const known = TIMES === 1 ? reached.get(way) : undefined;
  // Further than the first maximum that it may meet.
  const most = (maxLimit ?? 0) > 100 ? 1100 : 500;
  const found = known ?? (await readsToEnd(env, 100, most));
  reached.set(way, found);
  return found;
}

/** A probe; and a check of the settings that it found, and one of the defaults, with what the gateway does under them. */
async function examine(answers: Options) {
  const calls: Call[] = [];
  await using service = await startEmbeddedService({
    answers,
    onCall: (call) => calls.push(call),
  });
  const report = await probeAt(service.url);
  expect(calls.length).toBe(report.calls);
  expect(report.calls).toBeLessThanOrEqual(60);
  const checks = [];
  for (const env of [report.settings, { MESSAGING_URL: service.url }]) {
    const before = calls.length;
    const { out } = await runCheck(env);
    expect(calls.length - before).toBeLessThanOrEqual(60);
    checks.push([out, verdict(out, await isWhole(env, answers))] as const);
  }
  expect(calls.filter(({ method, body }) => method !== 'GET' || body !== '')).toEqual([]);
  return { verdicts: judge(report, answers), checks };
}

test.each([
  { name: 'every option', services: singles },
  { name: 'every refused limit', services: refusedLimits },
  { name: 'every paging parameter', services: pairs },
])(
  'with $name, the probe settles what reads can settle, finds nothing wrong, and the check agrees with the gateway',
  async ({ services }) => {
    const misses: string[] = [];
    for (const options of services) {
      const { verdicts, checks } = await examine(options);

      for (const [point, verdict] of Object.entries(verdicts)) {
        const isMiss =
          verdict === 'wrong' || (verdict === 'unknown' && SETTLED.test(point));
        if (isMiss) misses.push(`${JSON.stringify(options)}: ${point} is ${verdict}`);
      }
      const wrong = checks.filter(([out, wanted]) => !out.endsWith(wanted));
      misses.push(...wrong.map(([out]) => `${JSON.stringify(options)}: ${out}`));
    }

    expect(misses).toEqual([]);
  },
  180_000,
);

// They mostly wait.
test.concurrent.each(['none', 'seconds', 'date'] as const)(
  'the probe reports a rate limit with Retry-After: %s',
  async (retryAfter) => {
    const answers = { rateLimit: 8, retryAfter, paging: 'starting_after' } as const;
    await using service = await startEmbeddedService({ answers });
    const verdicts = judge(await probeAt(service.url), answers);

    expect(verdicts['17 rate limits']).toBe('right');
    expect(Object.values(verdicts)).not.toContain('wrong');
  },
  20_000,
);

test('with pages of one or two items, the order is unknown and nothing is wrong', async () => {
  for (const paging of VALUES.paging) {
    for (const maxLimit of [1, 2]) {
      for (const aboveMaxLimit of ['cap', 422] as const) {
        const options = { paging, maxLimit, aboveMaxLimit };
        const { verdicts } = await examine(options);

        expect([options, verdicts['9 order']]).toEqual([options, 'unknown']);
        expect([options, verdicts['8 paging']]).toEqual([options, 'right']);
        expect([options, ...Object.values(verdicts)]).not.toContain('wrong');
      }
    }
  }
});

test.each<[what: string, env: Record<string, string>, words: string]>([
  ['nothing', {}, 'learned   paging of messages: the parameter "offset" works'],
  [
    'the style',
    { PAGING: 'offset' },
    'learned   paging of messages: PAGING=offset with the parameter "offset" fits',
  ],
  [
    'a doubtful name',
    { MAX_RESTCALLS: '5', PAGING_PARAM: 'since' },
    'settings  MAX_RESTCALLS is not a setting. Did you mean MAX_REST_CALLS?',
  ],
])(
  'with %s set, the service fits, and the check says so in words',
  async (_what, env, words) => {
    const lines: string[] = [];
    await using service = await startEmbeddedService({
      answers: { paging: 'offset', maxLimit: 50 },
      onCall: ({ method, url }) => lines.push(`${method} ${url}`),
    });

    const { status, out, err } = await runCheck({ MESSAGING_URL: service.url, ...env });

    expect(out).toContain(words);
    expect(out.split('\n')).toEqual(
      expect.arrayContaining([
        'settings  all are valid',
        `service   it answers at ${service.url}`,
        'token     the service accepts it, and shows 10 or more conversations and 10 or more messages',
        expect.stringMatching(
          /^learned {3}timestamps: seconds \(as seconds since 1970, \d+ /,
        ),
        'learned   fields: as in the interface',
        'learned   pages of messages: limit=100 returns only 50 items; then the gateway asks for less',
        'All fits.',
      ]),
    );
    expect(status).toBe(0);
    expect(lines.length).toBeLessThanOrEqual(8);
    expect(err.trimEnd().split('\n')).toHaveLength(lines.length);
  },
);

test.each<[what: string, env: Record<string, string>, words: string, change: string]>([
  [
    'the unit',
    { TIMESTAMP_UNIT: 'milliseconds' },
    'TIMESTAMP_UNIT=milliseconds, but the service counts seconds',
    'Remove TIMESTAMP_UNIT, or set TIMESTAMP_UNIT=seconds\n',
  ],
  [
    'the maximum limit',
    { MAX_LIMIT: '60' },
    'MAX_LIMIT=60, but limit=60 returns only 50 items',
    'Remove MAX_LIMIT, or set MAX_LIMIT=50\n',
  ],
  [
    'the paging style',
    { PAGING: 'page' },
    'PAGING=page with the parameter "page" does not give the next page',
    'messaging-graphql probe',
  ],
  [
    'no paging style, with a maximum',
    { PAGING: 'limit' },
    'paging of messages with "limit" alone, because PAGING=limit: all after the first 50 are out of reach (limit=200 returns 50 items',
    'Set PAGING and PAGING_PARAM',
  ],
  [
    'the paging parameter',
    { PAGING: 'offset', PAGING_PARAM: 'skip' },
    'PAGING=offset with the parameter "skip"',
    'messaging-graphql probe',
  ],
])(
  'the check names a setting that the service contradicts: %s',
  async (_what, env, words, change) => {
    const answers = { paging: 'offset', maxLimit: 50 } as const;
    await using service = await startEmbeddedService({ answers });

    expectMisfit(await runCheck({ MESSAGING_URL: service.url, ...env }), words, change);
  },
);

test('a refused limit that keeps items out of reach has one advice', async () => {
  const answers = { paging: 'none', maxLimit: 50, aboveMaxLimit: 422 } as const;
  await using service = await startEmbeddedService({ answers });

  const checked = await runCheck({ MESSAGING_URL: service.url });

  expectMisfit(checked, 'paging of conversations with "limit" alone', 'Set MAX_LIMIT=50');
  expect(checked.out.match(/(?<=conversations: limit=100 ).*/g)).toEqual([
    'is refused (422); then the gateway asks for less',
  ]);
});

test('a service below a path fits', async () => {
  await using service = await startUpstream({
    'GET /api/v1/conversations': wirePage([]),
    'GET /api/v1/messages': wirePage([]),
  });

  const { status, out } = await runCheck({ MESSAGING_URL: `${service.url}/api/` });

  expect(out).toContain('shows 0 conversations and 0 messages');
  expect(status).toBe(0);
});

test('a service that lists messages of one conversation only fits, and the report says so', async () => {
  await using service = await startUpstream({
    'GET /v1/conversations': wirePage([wireConversation('c1')]),
    'GET /v1/messages?limit=10': { error: 'conversation_id is missing' },
    'GET /v1/messages?conversation_id=c1&limit=10': wirePage([wireMessage('m1')]),
    'GET /v1/messages?conversation_id=c1&limit=100': wirePage([wireMessage('m1')]),
  });

  const { status, out } = await runCheck({ MESSAGING_URL: service.url });

  expect(out).toContain('the service lists those of one conversation, and not all');
  expect(status).toBe(0);
});

test('fields that differ from the interface are shown by their names', async () => {
  await using service = await startUpstream({
    'GET /v1/conversations': wirePage([wireConversation('c1', { topic: 's3cret' })]),
    'GET /v1/messages': wirePage([
      wireMessage('m1', { message: 7, read_at: undefined }),
      // If all were malformed, the service would not fit.
      wireMessage('m2'),
    ]),
  });

  const { status, out } = await runCheck({ MESSAGING_URL: service.url });

  expect(out).toContain(
    'learned   messages: 1 of 2 cannot be read whole: GET /v1/messages',
  );
  expect(out).toContain('fields in the interface, but not sent: message.read_at');
  expect(out).toContain('fields sent with another type: message.message: number');
  expect(out).toContain(
    'fields sent, but not in the interface: conversation.topic: string',
  );
  expect(out).toMatch(/\nNothing was found that does not fit\.\n$/);
  expect(out).not.toContain('s3cret');
  expect(status).toBe(0);
});

test('the embedded service fits if it is meant', async () => {
  const { status, out } = await runCheck({ MESSAGING_URL: 'embedded' });

  expect(out).toContain('service   the embedded one');
  expect(status).toBe(0);
});
