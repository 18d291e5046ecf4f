/**
 * Measures how long an event takes: from the answer of a mutation to the event at another caller's client; with REDIS_URL, at
 * another replica's, too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../test/support/gateway.ts';
import { startGatewayProcess } from '../test/support/gateway-process.ts';
import { growingList } from '../test/support/live.ts';
import { subscribe } from '../test/support/subscribe.ts';
import { startUpstream } from '../test/support/upstream.ts';
import { quantile } from './performance/statistics.ts';

const SENT = 500;
/** People write more slowly. Unit: milliseconds. */
const PAUSE_MS = 40;

/**
 * The times from the answer of a mutation to the event at another caller's client; with Redis, the client is that
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
  return times;
}

function report(where: string, times: readonly number[]): void {
  const at = (share: number) => `${quantile(times, share).toFixed(1)} ms`;
  process.stdout.write(
    `From the answer of a mutation to the event at ${where}, ${times.length} times: median ${at(0.5)}, 99th percentile ${at(0.99)}, longest ${at(1)}.\n`,
  );
}

const { REDIS_URL: redisUrl } = process.env;
report('another caller', await measureLatency(null));
if (redisUrl) report('another caller at another replica', await measureLatency(redisUrl));
