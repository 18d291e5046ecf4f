import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway } from '../support/gateway.ts';
import { readMetric } from '../support/metrics.ts';
import { subscribe } from '../support/subscribe.ts';

const TOKEN = 'ada-sample-token';
/** Its 640 messages are the longest list of the sample data. */
const QUERY =
  'subscription { messageChanged(conversationId: "conv_lisbon_trip") { kind } }';

const STYLES = {
  limit: 'none',
  starting_after: 'starting_after',
  offset: 'offset',
  page: 'page',
} as const;
type Style = keyof typeof STYLES;

interface ListShape {
  readonly style: Style;
  readonly order: 'newest' | 'oldest';
  readonly maxLimit: number | null;
}

/** The calls of the first poll and of each later one, `1, then 1`; or `refused`. */
async function callsOf({ style, order, maxLimit }: ListShape): Promise<string> {
  let calls = 0;
  await using service = await startEmbeddedService({
    answers: { paging: STYLES[style], order, maxLimit },
    onCall: () => {
      calls += 1;
    },
  });
  await using gateway = await startTestGateway(service.url, {
    PAGING: style,
    LIVE_POLL_MS: '100',
  });
  await using _live = await subscribe(gateway.url, QUERY, { token: TOKEN });
  if ((await readMetric(gateway, 'gateway_live_subscriptions'))[''] === 0)
    return 'refused';
  const count = async () => {
    const counts = await readMetric(gateway, 'gateway_live_looks_total');
    const polls = Object.values(counts).reduce((sum, one) => sum + one, 0);
    return { polls, calls };
  };
  /** What was polled and called until a moment after so many polls when none is under way. */
  const countQuiet = async (least: number) => {
    for (let before = await count(); ; ) {
      await sleep(50);
      const after = await count();
      const isQuiet = after.polls === before.polls && after.calls === before.calls;
      before = after;
      if (!isQuiet || after.polls < least) continue;
      const underWay = await readMetric(gateway, 'gateway_rest_calls_under_way');
      if (underWay[''] === 0 && (await count()).calls === after.calls) return after;
    }
  };
  const early = await countQuiet(1);
  const late = await countQuiet(early.polls + 2);
  const each = (late.calls - early.calls) / (late.polls - early.polls);
  return `${early.calls - each * (early.polls - 1)}, then ${each}`;
}

/** The table as Markdown. */
async function measurePolls(): Promise<string> {
  const header = [
    '| `PAGING` | newest first | newest first, at most 50 at once | oldest first | oldest first, at most 50 at once |',
    '|---|---|---|---|---|',
  ];
  const rows: string[] = [];
  // One row after the other: on a busy thread, a poll could seem to be done because its answer waits.
  for (const style of Object.keys(STYLES) as Style[]) {
    const cells = (['newest', 'oldest'] as const).flatMap((order) =>
      [null, 50].map((maxLimit) => callsOf({ style, order, maxLimit })),
    );
    rows.push(`| \`${style}\` | ${(await Promise.all(cells)).join(' | ')} |`);
  }
  return [...header, ...rows].join('\n');
}

test('what a poll costs is what the docs say', async () => {
  expect(readFileSync('docs/live.md', 'utf8')).toContain(await measurePolls());
});
