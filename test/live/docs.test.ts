import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway } from '../support/gateway.ts';
import { openSubscriptions } from '../support/live.ts';
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
  /** Of each poll, by its request id. */
  const calls = new Map<string | undefined, number>();
  await using service = await startEmbeddedService({
    answers: { paging: STYLES[style], order, maxLimit },
    onCall({ requestId }) {
      calls.set(requestId, (calls.get(requestId) ?? 0) + 1);
    },
  });
  await using gateway = await startTestGateway(service.url, {
    PAGING: style,
    LIVE_POLL_MS: '100',
  });
  await using _live = await subscribe(gateway.url, QUERY, { token: TOKEN });
  if ((await openSubscriptions(gateway)) === 0) return 'refused';

  // Once the fourth has begun, three are complete.
  await expect.poll(() => calls.size).toBeGreaterThan(3);
  const [first, second, third] = calls.values();
  expect(third).toBe(second);
  return `${first}, then ${second}`;
}

/** The table as Markdown. */
async function measurePolls(): Promise<string> {
  const header = [
    '| `PAGING` | newest first | newest first, at most 50 at once | oldest first | oldest first, at most 50 at once |',
    '|---|---|---|---|---|',
  ];
  const rows: string[] = [];
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
