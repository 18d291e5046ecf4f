import { describe, expect, test } from 'vitest';
import { startBalancer } from '../support/balancer.ts';
import { startTestGateway } from '../support/gateway.ts';
import { FAST, LONGEST, startLiveWorld } from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { startUpstream } from '../support/upstream.ts';
import { wirePage } from '../support/wire.ts';
import { CLIENTS } from './live-clients.ts';

const ADA = 'ada-sample-token';
const SEND =
  'mutation ($c: ID!, $m: String!) { sendMessage(input: { conversationId: $c, message: $m }) { message { id } } }';
const subscriptions = async (gateway: { readonly url: string }) =>
  (await readMetric(gateway, 'gateway_live_subscriptions'))[''];

describe.each(CLIENTS)('%s', (_name, start) => {
  test('sees what is created, updated and deleted', async () => {
    await using world = await startLiveWorld({}, { LIVE_POLL_MS: '600000' });
    using client = start(`${world.gateway.url}/graphql`, ADA, LONGEST);
    await expect.poll(() => subscriptions(world.gateway)).toBe(1);
    const sent = await world.ask(SEND, { c: LONGEST, m: 'one' });
    const { id } = sent.data.sendMessage.message;
    await expect.poll(() => client.events).toEqual(['CREATED one']);
    await world.ask(
      `mutation { updateMessage(input: { id: "${id}", message: "two" }) { message { id } } }`,
    );
    await expect.poll(() => client.events.at(-1)).toBe('UPDATED two');
    await world.ask(
      `mutation { deleteMessage(input: { id: "${id}" }) { deletedMessageId } }`,
    );

    await expect
      .poll(() => client.events)
      .toEqual(['CREATED one', 'UPDATED two', 'DELETED']);
    expect(client.codes).toEqual([]);
  });

  test('comes back by itself after a replica has stopped', async () => {
    await using world = await startLiveWorld({}, { LIVE_POLL_MS: '600000' });
    await using other = await startTestGateway(world.service.url);
    await using balancer = await startBalancer(world.gateway.url);
    using client = start(`${balancer.url}/graphql`, ADA, LONGEST);
    await expect.poll(() => subscriptions(world.gateway)).toBe(1);

    balancer.choose(other.url);
    await world.gateway.close();
    await expect.poll(() => subscriptions(other)).toBe(1);
    await other.ask(SEND, { token: ADA, variables: { c: LONGEST, m: 'after' } });

    await expect.poll(() => client.events).toEqual(['CREATED after']);
    expect(client.codes).toEqual([]);
  });

  test('learns why it is refused, at its start and later', async () => {
    let isRefused = false;
    await using upstream = await startUpstream(() =>
      isRefused ? { status: 401 } : { body: wirePage([]) },
    );
    await using gateway = await startTestGateway(upstream.url, FAST);
    const uri = `${gateway.url}/graphql`;
    using early = start(uri, 'ann', 'c1');
    await expect.poll(() => subscriptions(gateway)).toBe(1);
    isRefused = true;

    await expect.poll(() => early.codes).toEqual(['UNAUTHENTICATED']);
    using late = start(uri, 'ann', 'c1');
    await expect.poll(() => late.codes).toEqual(['UNAUTHENTICATED']);
  });
});

test('clients of all kinds do not come back in one moment', async () => {
  await using world = await startLiveWorld({}, { LIVE_POLL_MS: '600000' });
  await using other = await startTestGateway(world.service.url);
  await using balancer = await startBalancer(world.gateway.url);
  using open = new DisposableStack();
  const count = 13 * CLIENTS.length;
  for (let index = 0; index < count; index += 1) {
    const start = CLIENTS[index % CLIENTS.length]?.[1];
    if (start !== undefined) open.use(start(`${balancer.url}/graphql`, ADA, LONGEST));
  }
  await expect.poll(() => subscriptions(world.gateway)).toBe(count);

  balancer.choose(other.url);
  await world.gateway.close();
  // A client that is refused, because the machine is busy, waits twice as long before it tries again.
  await expect.poll(() => subscriptions(other)).toBe(count);

  const times = balancer.arrivals.slice(0, count);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(1000);
});
