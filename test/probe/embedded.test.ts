import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { probe } from '../../src/probe/probe.ts';
import { startTestGateway } from '../support/gateway.ts';
import { probeEmbedded, TOKEN } from './service.ts';
import { judge } from './verdicts.ts';

type Options = Partial<Answers>;

/** Every value of every option. */
const VALUES: { readonly [Name in keyof Answers]: readonly Answers[Name][] } = {
  reactionNames: [null, ['heart', 'seen']],
  attachments: ['nested', 'flat', 'bare'],
  timestampUnit: ['seconds', 'milliseconds', 'microseconds'],
  archived: ['open', 'frozen'],
  readStatus: [200, 201, 203, 206, 299],
  createStatus: [200, 201],
  updateStatus: [200, 202],
  deleteStatus: [200, 204],
  deleteBody: ['flag', 'object', 'text', 'empty'],
  paging: ['none', 'starting_after', 'offset', 'page'],
  pagingParam: [null],
  pagingBackParam: [null],
  unknownCursor: [400, 404, 'empty', 'first'],
  order: ['newest', 'oldest', 'id'],
  reactions: ['replace', 'add'],
  jsonBodies: ['refuse', 'accept'],
  bothIds: ['group', 'refuse', 'both'],
  errorFormat: ['json', 'problem', 'text', 'html', 'empty'],
  unknownId: [404, 410, 400],
  // biome-ignore format: one number a line is hard to read
  maxLimit: [
    null, 3, 5, 7, 10, 11, 17, 25, 50, 77, 99, 100, 101, 199, 200, 201, 500, 640, 999, 1000, 1500, 5000,
  ],
  aboveMaxLimit: ['cap', 400, 422],
  rateLimit: [null],
  retryAfter: ['none', 'seconds', 'date'],
  maxMessageLength: [null, 100],
  maxAttachments: [null, 1],
  oversizeStatus: [400, 422],
};

const singles: readonly Options[] = Object.entries(VALUES).flatMap(([name, values]) =>
  values.map((value) => ({ [name]: value }) as Options),
);
const refusedLimits = VALUES.maxLimit.map((maxLimit) => ({
  maxLimit,
  aboveMaxLimit: 422 as const,
}));

/** Names of the paging parameters; under `starting_after`, forward and backward. */
const NAMES: Record<Exclude<Answers['paging'], 'none'>, readonly Options[]> = {
  starting_after: [
    {},
    { pagingParam: 'after' },
    ...[
      ['after', 'before'],
      ['before', 'after'],
      ['cursor', 'prev_cursor'],
      ['since_id', 'max_id'],
      ['since', 'until'],
      ['after_id', 'before_id'],
      ['from_id', 'to_id'],
      ['start_after', 'end_before'],
      ['page_token', 'prev_page_token'],
      ['starting_after', 'before'],
    ].map(([pagingParam = null, pagingBackParam = null]) => ({
      pagingParam,
      pagingBackParam,
    })),
  ],
  offset: [null, 'skip', 'start', 'from'].map((pagingParam) => ({ pagingParam })),
  page: [null, 'page_number', 'p'].map((pagingParam) => ({ pagingParam })),
};

const LIMITS: readonly Options[] = [
  {},
  { maxLimit: 50 },
  { maxLimit: 100, aboveMaxLimit: 400 },
  { maxLimit: 7 },
  { maxLimit: 4, aboveMaxLimit: 422 },
];

/** Every name with every limit. Order, unknown cursor and unit vary from row to row, so that they meet one another. */
const pairs: readonly Options[] = Object.entries(NAMES)
  .flatMap(([paging, names]) => names.map((name) => ({ paging, ...name }) as Options))
  .flatMap((named) => LIMITS.map((limit) => ({ ...named, ...limit })))
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

test.each([
  { name: 'every option', services: singles },
  { name: 'every refused limit', services: refusedLimits },
  { name: 'every paging parameter', services: pairs },
])(
  'with $name, the probe settles what reads can settle, and finds nothing wrong',
  async ({ services }) => {
    const misses: string[] = [];
    for (const options of services) {
      const { report, calls } = await probeEmbedded(options);

      expect(calls.length).toBe(report.calls);
      expect(new Set(calls.map(({ method }) => method))).toEqual(new Set(['GET']));
      expect(calls.map(({ body }) => body).join('')).toBe('');
      expect(report.calls).toBeLessThanOrEqual(60);
      for (const [point, verdict] of Object.entries(judge(report, options))) {
        const isMiss =
          verdict === 'wrong' || (verdict === 'unknown' && SETTLED.test(point));
        if (isMiss) misses.push(`${JSON.stringify(options)}: ${point} is ${verdict}`);
      }
    }

    expect(misses).toEqual([]);
  },
  60_000,
);

test.each(VALUES.retryAfter)(
  'the probe reports a rate limit with Retry-After: %s',
  async (retryAfter) => {
    const options = { rateLimit: 8, retryAfter, paging: 'starting_after' } as const;
    const verdicts = judge((await probeEmbedded(options)).report, options);

    expect(verdicts['17 rate limits']).toBe('right');
    expect(Object.values(verdicts)).not.toContain('wrong');
  },
  20_000,
);

test('with pages of one or two items, the order is unknown and nothing is wrong', async () => {
  for (const paging of VALUES.paging) {
    for (const maxLimit of [1, 2]) {
      for (const aboveMaxLimit of VALUES.aboveMaxLimit) {
        const options = { paging, maxLimit, aboveMaxLimit };
        const verdicts = judge((await probeEmbedded(options)).report, options);

        expect([options, verdicts['9 order']]).toEqual([options, 'unknown']);
        expect([options, verdicts['8 paging']]).toEqual([options, 'right']);
        expect([options, ...Object.values(verdicts)]).not.toContain('wrong');
      }
    }
  }
});

test.each<[Options, Record<string, string>]>([
  [{ paging: 'none' }, { PAGING: 'limit' }],
  [{ paging: 'starting_after' }, { PAGING: 'starting_after' }],
  [
    {
      paging: 'starting_after',
      pagingParam: 'before',
      pagingBackParam: 'after',
      unknownCursor: 'first',
      maxLimit: 25,
      aboveMaxLimit: 422,
    },
    {
      PAGING: 'starting_after',
      PAGING_PARAM: 'before',
      PAGING_BACK_PARAM: 'after',
      PAGING_UNKNOWN_ID: 'first',
      MAX_LIMIT: '25',
    },
  ],
  [
    { paging: 'offset', pagingParam: 'skip', maxLimit: 50 },
    { PAGING: 'offset', PAGING_PARAM: 'skip', MAX_LIMIT: '50' },
  ],
  [
    { paging: 'page', pagingParam: 'p', maxLimit: 60, aboveMaxLimit: 400 },
    { PAGING: 'page', PAGING_PARAM: 'p', MAX_LIMIT: '60' },
  ],
])(
  'from a service with %j, the gateway reads a whole list with the settings found',
  async (answers, expected) => {
    await using service = await startEmbeddedService({ answers });
    const { settings } = await probe({ url: service.url, token: TOKEN });

    expect(settings).toEqual({
      MESSAGING_URL: service.url,
      TIMESTAMP_UNIT: 'seconds',
      ...expected,
    });
    await using gateway = await startTestGateway(service.url, settings);
    let length = 0;
    for (let after: string | null = null; ; ) {
      const { data, errors } = await gateway.ask(
        'query ($after: String) { messages(conversationId: "conv_lisbon_trip", first: 100, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }',
        { token: TOKEN, variables: { after } },
      );
      expect(errors).toBeUndefined();
      length += data.messages.nodes.length;
      if (!data.messages.pageInfo.hasNextPage) break;
      after = data.messages.pageInfo.endCursor;
    }
    expect(length).toBe(640);
  },
);
