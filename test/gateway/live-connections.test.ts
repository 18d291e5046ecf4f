import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { MESSAGES, startLiveWorld } from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { openSocket } from '../support/socket.ts';

const ADA = 'ada-sample-token';
const counted = (gateway: { readonly url: string }) =>
  readMetric(gateway, 'gateway_live_connections');
const toCounts = (sse: number, multipart: number, websocket: number) => ({
  '{transport="sse"}': sse,
  '{transport="multipart"}': multipart,
  '{transport="websocket"}': websocket,
});

test('open streams and WebSockets are counted by transport, until they end', async () => {
  await using world = await startLiveWorld();
  const { gateway } = world;
  const control = new AbortController();
  expect(await counted(gateway)).toEqual(toCounts(0, 0, 0));

  const events = [await world.subscribe(MESSAGES), await world.subscribe(MESSAGES)];
  const parts = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'multipart/mixed;subscriptionSpec=1.0',
      'content-type': 'application/json',
      authorization: `Bearer ${ADA}`,
    },
    body: JSON.stringify({ query: MESSAGES }),
    signal: control.signal,
  });
  const sockets = [
    await openSocket(gateway.url, { token: ADA }),
    // It counts whether it subscribes or not, and before its token is known.
    await openSocket(gateway.url, { token: ADA }),
    await openSocket(gateway.url, { init: false }),
  ];
  sockets[0]?.subscribe('1', MESSAGES);
  sockets[0]?.subscribe('2', MESSAGES);

  await expect.poll(() => counted(gateway)).toEqual(toCounts(2, 1, 3));
  await events[0]?.[Symbol.asyncDispose]();
  sockets[0]?.ws.terminate();
  await expect.poll(() => counted(gateway)).toEqual(toCounts(1, 1, 2));
  await events[1]?.[Symbol.asyncDispose]();
  control.abort();
  await expect(parts.text()).rejects.toThrow();
  for (const socket of sockets) socket.ws.close();
  await expect.poll(() => counted(gateway)).toEqual(toCounts(0, 0, 0));
});

test('answers with one result, and refused WebSockets, count in no transport', async () => {
  await using gateway = await startTestGateway('http://127.0.0.1:1', {
    CORS_ORIGINS: 'https://app.example',
  });

  const answer = await fetch(`${gateway.url}/graphql?query={__typename}`, {
    headers: { accept: 'text/event-stream', authorization: 'Bearer t' },
  });
  const headers = { origin: 'https://other.example' };
  await expect(openSocket(gateway.url, { headers })).rejects.toThrow('403');

  expect(await answer.text()).toContain('event: complete');
  expect(await counted(gateway)).toEqual(toCounts(0, 0, 0));
});
