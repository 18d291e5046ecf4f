/**
 * Measures subscriptions: the REST calls of a poll, for each way in which a service may page and order its lists, and the
 * time from the answer of a mutation to the event at another caller's client; with REDIS_URL, at another replica's, too. The
 * calls are exact, so a test compares them with docs/live.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEmbeddedService } from '../src/embedded/service.ts';
import { ask, startTestGateway } from '../test/support/gateway.ts';
import { startGatewayProcess } from '../test/support/gateway-process.ts';
import { growingList } from '../test/support/live.ts';
import { readMetric } from '../test/support/metrics.ts';
import { subscribe } from '../test/support/subscribe.ts';
import { startUpstream } from '../test/support/upstream.ts';

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
  while ((await polls()) < POLLS) await sleep(20);
  return `${first}, then ${(calls - first) / ((await polls()) - 1)}`;
}

/** The table as Markdown. */
export async function measurePolls(): Promise<string> {
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

const SENT = 500;
/** People write more slowly. Unit: milliseconds. */
const PAUSE_MS = 40;

/**
 * The times from the answer of a mutation to the event at another caller's client, in order; with Redis, the client is that
 * of another replica. Unit: milliseconds.
 */
async function measureLatency(redisUrl: string | null): Promise<number[]> {
  await using upstream = await startUpstream(growingList({ newest: 100 }));
  const settings = redisUrl === null ? {} : { REDIS_URL: redisUrl };
  await using gateway = await startGatewayProcess(upstream.url, settings);
  await using replica =
    redisUrl === null ? null : await startGatewayProcess(upstream.url, settings);
  const query =
    'subscription { messageChanged(conversationId: "c1") { messageId message { message } } }';
  await using live = await subscribe((replica ?? gateway).url, query, { token: 'ben' });
  const times: number[] = [];
  for (let sent = 0; sent < SENT; sent += 1) {
    await sleep(PAUSE_MS);
    const event = live.next().then(() => performance.now());
    await ask(
      gateway.url,
      'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }',
    );
    const answered = performance.now();
    times.push(Math.max(0, (await event) - answered));
  }
  return times.toSorted((one, other) => one - other);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${await measurePolls()}\n\n`);
  const { REDIS_URL: redisUrl } = process.env;
  report('another caller', await measureLatency(null));
  if (redisUrl)
    report('another caller at another replica', await measureLatency(redisUrl));
}

function report(where: string, times: readonly number[]): void {
  const at = (part: number) => times[Math.floor(times.length * part)]?.toFixed(1);
  process.stdout.write(
    `From the answer of a mutation to the event at ${where}, ${times.length} times: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms, longest ${times.at(-1)?.toFixed(1)} ms.\n`,
  );
}
