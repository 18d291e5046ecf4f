import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { FAST, MESSAGES, nextAnswer } from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { subscribe } from '../support/subscribe.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

test.each(['3000000', 'Fri, 31 Dec 2100 23:59:59 GMT'])(
  'a wait that is longer than any timer is waited for, too: Retry-After: %s',
  async (wait) => {
    let refused = 0;
    let isLimited = false;
    await using upstream = await startUpstream(() => {
      if (!isLimited) return { body: wirePage([wireMessage('m1')]) };
      refused += 1;
      return { status: 429, headers: { 'retry-after': wait } };
    });
    await using gateway = await startTestGateway(upstream.url, FAST);
    await using _live = await subscribe(gateway.url, MESSAGES);
    isLimited = true;

    await expect.poll(() => refused).toBeGreaterThan(0);
    // Many looks would fit into this time.
    await sleep(500);

    expect(refused).toBe(1);
  },
);

test('a conversation that was deleted is NOT_FOUND, also while another subscription still watches it', async () => {
  let isDeleted = false;
  await using upstream = await startUpstream(() =>
    isDeleted ? { status: 404 } : { body: wirePage([wireMessage('m1')]) },
  );
  await using gateway = await startTestGateway(upstream.url, FAST);
  await using first = await subscribe(gateway.url, MESSAGES);
  isDeleted = true;
  expect((await first.next())?.data.messageChanged.kind).toBe('DELETED');

  await using late = await subscribe(gateway.url, MESSAGES);

  expect(codes(await nextAnswer(late))).toEqual({ messageChanged: 'NOT_FOUND' });
  expect(await late.ended).toBe('complete');
  const subscriptions = await readMetric(gateway, 'gateway_live_subscriptions');
  expect(subscriptions).toEqual({ '': 1 });

  isDeleted = false;
  expect((await first.next())?.data.messageChanged.kind).toBe('CREATED');
});
