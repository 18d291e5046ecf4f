import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { FAST, LONGEST, openSubscriptions, startLiveWorld } from '../support/live.ts';
import { startUpstream } from '../support/upstream.ts';
import { wirePage } from '../support/wire.ts';
import { CLIENTS } from './live-clients.ts';

const ADA = 'ada-sample-token';
const SEND =
  'mutation ($c: ID!, $m: String!) { sendMessage(input: { conversationId: $c, message: $m }) { message { id } } }';

describe.each(CLIENTS)('%s', (_, start) => {
  test('sees what is created, updated and deleted', async () => {
    await using world = await startLiveWorld({}, { LIVE_POLL_MS: '600000' });
    using client = start(`${world.gateway.url}/graphql`, ADA, LONGEST);
    await expect.poll(() => openSubscriptions(world.gateway)).toBe(1);
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

  test('learns why it is refused, at its start and later', async () => {
    let isRefused = false;
    await using upstream = await startUpstream(() =>
      isRefused ? { status: 401 } : { body: wirePage([]) },
    );
    await using gateway = await startTestGateway(upstream.url, FAST);
    const uri = `${gateway.url}/graphql`;
    using early = start(uri, 'ann', 'c1');
    await expect.poll(() => openSubscriptions(gateway)).toBe(1);
    isRefused = true;

    await expect.poll(() => early.codes).toEqual(['UNAUTHENTICATED']);
    using late = start(uri, 'ann', 'c1');
    await expect.poll(() => late.codes).toEqual(['UNAUTHENTICATED']);
  });
});
