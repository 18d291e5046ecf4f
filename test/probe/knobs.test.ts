import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { probeEmbedded } from './service.ts';
import { judge, tally, type Verdict } from './verdicts.ts';

type Told = Partial<Answers>;

/** Every value of every knob by itself. */
const KNOBS: { readonly [Name in keyof Answers]: readonly Answers[Name][] } = {
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
  maxLimit: [
    null,
    3,
    5,
    7,
    10,
    11,
    17,
    25,
    50,
    77,
    99,
    100,
    101,
    199,
    200,
    201,
    500,
    640,
  ].concat([999, 1000, 1500, 5000]),
  aboveMaxLimit: ['cap', 400, 422],
  rateLimit: [null],
  retryAfter: ['none', 'seconds', 'date'],
  maxMessageLength: [null, 100],
  maxAttachments: [null, 1],
  oversizeStatus: [400, 422],
};

/** How services call what pages; the second name pages back. */
const NAMES: Record<Exclude<Answers['paging'], 'none'>, readonly Told[]> = {
  starting_after: [
    {},
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
    { pagingParam: 'after' },
  ],
  offset: [null, 'skip', 'start', 'from'].map((pagingParam) => ({ pagingParam })),
  page: [null, 'page_number', 'p'].map((pagingParam) => ({ pagingParam })),
};

const CAPS: readonly Told[] = [
  {},
  { maxLimit: 50 },
  { maxLimit: 100, aboveMaxLimit: 400 },
  { maxLimit: 7 },
  { maxLimit: 4, aboveMaxLimit: 422 },
];

const singles: readonly Told[] = Object.entries(KNOBS).flatMap(([name, values]) =>
  values.map((value) => ({ [name]: value }) as Told),
);
const refusedCaps = KNOBS.maxLimit.map((maxLimit) => ({
  maxLimit,
  aboveMaxLimit: 422 as const,
}));

/** Every name under every cap; orders, unknown ids and units change from row to row until each has met each. */
const pairs: readonly Told[] = Object.entries(NAMES)
  .flatMap(([paging, names]) => names.map((name) => ({ paging, ...name }) as Told))
  .flatMap((named) => CAPS.map((cap) => ({ ...named, ...cap })))
  .map((told, index) => ({
    ...told,
    order: pick(KNOBS.order, index),
    unknownCursor: pick(KNOBS.unknownCursor, index >> 1),
    timestampUnit: pick(KNOBS.timestampUnit, Math.floor(index / 5)),
  }));

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T; // the index is within
}

/** What reads settle on the sample data, but attachments: short pages may hold none. */
const SETTLED = /^(4|6|8|9|15|16) /;

const all: Record<string, Verdict>[] = [];
let mostCalls = 0;

test.each([
  { name: 'every knob', tolds: singles },
  { name: 'every refused cap', tolds: refusedCaps },
  { name: 'paging under every name, cap, order, unknown id and unit', tolds: pairs },
])(
  '$name: what reads settle is found, and nothing is found wrong',
  async ({ tolds }) => {
    const misses: string[] = [];
    for (const told of tolds) {
      const { report, calls } = await probeEmbedded(told);
      const verdicts = judge(report, told);
      all.push(verdicts);

      expect(calls.length).toBe(report.calls);
      expect(new Set(calls.map(({ method }) => method))).toEqual(new Set(['GET']));
      expect(calls.map(({ body }) => body).join('')).toBe('');
      expect(report.calls).toBeLessThanOrEqual(60);
      mostCalls = Math.max(mostCalls, report.calls);
      for (const [point, verdict] of Object.entries(verdicts)) {
        const isMiss =
          verdict === 'wrong' || (verdict === 'unknown' && SETTLED.test(point));
        if (isMiss) misses.push(`${JSON.stringify(told)}: ${point} is ${verdict}`);
      }
    }

    expect(misses).toEqual([]);
  },
  60_000,
);

test('limits that are met on the way are found, in each form', async () => {
  const tolds = KNOBS.retryAfter.map((retryAfter) => ({
    rateLimit: 8,
    retryAfter,
    paging: 'starting_after' as const,
  }));

  const found = await Promise.all(
    tolds.map(async (told) => judge((await probeEmbedded(told)).report, told)),
  );

  all.push(...found);
  expect(found.map((one) => one['17 rate limits'])).toEqual(['right', 'right', 'right']);
  expect(found.flatMap((one) => Object.values(one))).not.toContain('wrong');
}, 20_000);

test('pages of one or two items leave the order unknown, and nothing wrong', async () => {
  for (const paging of KNOBS.paging) {
    for (const maxLimit of [1, 2]) {
      for (const aboveMaxLimit of KNOBS.aboveMaxLimit) {
        const told = { paging, maxLimit, aboveMaxLimit };
        const verdicts = judge((await probeEmbedded(told)).report, told);
        all.push(verdicts);
        const { '9 order': order, ...others } = verdicts;

        expect([told, order]).toEqual([told, 'unknown']);
        expect([told, others['8 paging']]).toEqual([told, 'right']);
        expect([told, ...Object.values(others)]).not.toContain('wrong');
      }
    }
  }
}, 20_000);

test('nothing was found wrong', () => {
  const lines = tally(all);
  process.stdout.write(
    `${all.length} services probed, with ${mostCalls} calls at most\n${lines.join('\n')}\n`,
  );

  expect(lines.filter((line) => !line.endsWith('wrong 0'))).toEqual([]);
});
