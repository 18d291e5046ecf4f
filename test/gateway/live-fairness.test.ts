import { expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { FAST, MESSAGES, nextAnswer } from '../support/live.ts';
import { openSocket } from '../support/socket.ts';
import { subscribe } from '../support/subscribe.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const SEND =
  'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }';

/** More than may look at once, for one caller. */
const LISTS = 60;

/** A service that leaves one caller without an answer from now on, if a test says so. */
async function startService() {
  const state = { isSlow: false, sent: 0, unanswered: 0 };
  const upstream = await startUpstream(async ({ line, token }) => {
    if (line.startsWith('POST')) state.sent += 1;
    if (line.startsWith('POST')) return { body: wireMessage(`m${state.sent}`) };
    if (state.isSlow && token === 'Bearer slow') {
      state.unanswered += 1;
      await new Promise(() => {});
    }
    const ids = Array.from({ length: state.sent + 1 }, (_, at) => `m${state.sent - at}`);
    return { body: wirePage(ids.map((id) => wireMessage(id))) };
  });
  return Object.assign(upstream, { state });
}

test('a caller with many lists that the service does not answer delays no look of others', async () => {
  await using upstream = await startService();
  await using gateway = await startTestGateway(upstream.url, {
    ...FAST,
    REST_TIMEOUT_MS: '60000',
    OPERATION_TIMEOUT_MS: '60000',
  });
  using slow = await openSocket(gateway.url, { token: 'slow' });
  for (let list = 0; list < LISTS; list += 1)
    slow.subscribe(`${list}`, MESSAGES, { id: `slow${list}` });
  await expect.poll(() => upstream.calls.length).toBeGreaterThanOrEqual(LISTS);
  await using ben = await subscribe(gateway.url, MESSAGES, { token: 'ben' });
  upstream.state.isSlow = true;
  await expect.poll(() => upstream.state.unanswered).toBeGreaterThanOrEqual(12);

  await gateway.ask(SEND, { token: 'cat' });
  expect((await ben.next())?.data.messageChanged.messageId).toBe('m1');

  await using cat = await subscribe(gateway.url, MESSAGES, { token: 'cat' });
  await gateway.ask(SEND, { token: 'ben' });
  expect((await cat.next())?.data.messageChanged.messageId).toBe('m2');
});

test('a look that waits for its turn too long is given up: all subscriptions are refused in their time', async () => {
  await using upstream = await startService();
  upstream.state.isSlow = true;
  // One look at once.
  await using gateway = await startTestGateway(upstream.url, {
    REST_CONNECTIONS: '4',
    REST_TIMEOUT_MS: '60000',
    OPERATION_TIMEOUT_MS: '1000',
  });
  const lives = await Promise.all(
    Array.from({ length: LISTS }, (_, list) =>
      subscribe(gateway.url, MESSAGES, { token: 'slow', variables: { id: `c${list}` } }),
    ),
  );

  // One after the other, they would take a minute.
  for (const live of lives)
    expect(codes(await nextAnswer(live))).toEqual({ messageChanged: 'UPSTREAM_TIMEOUT' });
});
