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
const POLLS = 4;

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
  const polls = async () => {
    const counts = await readMetric(gateway, 'gateway_live_looks_total');
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  };
  const first = calls;
  if ((await readMetric(gateway, 'gateway_live_subscriptions'))[''] === 0)
    return 'refused';
  for (;;) {
    const before = calls;
    const count = await polls();
    await sleep(50);
    // Otherwise a poll may be under way.
    const isQuiet = calls === before && (await polls()) === count;
    if (count >= POLLS && isQuiet)
      return `${first}, then ${(before - first) / (count - 1)}`;
  }
}

/** The table as Markdown. */
async function measurePolls(): Promise<string> {
  const header = [
    '| `PAGING` | newest first | newest first, at most 50 at once | oldest first | oldest first, at most 50 at once |',
    '|---|---|---|---|---|',
  ];
  const rows = (Object.keys(STYLES) as Style[]).map(async (style) => {
    const cells = (['newest', 'oldest'] as const).flatMap((order) =>
      [null, 50].map((maxLimit) => callsOf({ style, order, maxLimit })),
    );
    return `| \`${style}\` | ${(await Promise.all(cells)).join(' | ')} |`;
  });
  return [...header, ...(await Promise.all(rows))].join('\n');
}

test('what a poll costs is what the docs say', async () => {
  expect(readFileSync('docs/live.md', 'utf8')).toContain(await measurePolls());
});
