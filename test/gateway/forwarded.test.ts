import { expect, test } from 'vitest';
import { CallerId, toCallerName } from '../../src/callers/caller-id.ts';
import { FairSlots } from '../../src/callers/shares.ts';
import { createScripted, keepLines, MESSAGE, MESSAGE_DATA } from '../library/support.ts';
import { sendAs } from '../support/chat.ts';
import { ask, startScripted } from '../support/gateway.ts';
import { serve } from '../support/http.ts';
import { FAST } from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { openSocket } from '../support/socket.ts';
import { subscribe } from '../support/subscribe.ts';
import { answering, type Respond } from '../support/upstream.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const FORWARD = { FORWARD_HEADERS: 'X-Org, X-Locale' };
const WATCH =
  'subscription { messageChanged(conversationId: "c1") { message { message } } }';
const STREAMS = ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0'];
const of = (org: string) => ({ 'x-org': org });

test('over HTTP, the headers that are named go to the service with the calls of their client', async () => {
  await using gateway = await startScripted(undefined, FORWARD);
  const sent = { 'X-Org': 'a', 'X-Other': 'o', 'X-Locale': '' };
  await gateway.ask(MESSAGE, { headers: sent });
  await gateway.ask(MESSAGE);
  for (const accept of ['*/*', ...STREAMS]) {
    const url = `${gateway.url}/graphql?query=${encodeURIComponent(MESSAGE)}`;
    const authorization = 'Bearer ann-token';
    const response = await fetch(url, {
      headers: { authorization, ...sent, accept },
    });
    expect(await response.text()).toContain('text m1');
  }

  const seen = gateway.service.headers.map((all) => [
    all['x-org'],
    all['x-locale'],
    all['x-other'],
  ]);
  const own = ['a', '', undefined];
  expect(seen).toEqual([own, [undefined, undefined, undefined], own, own, own]);
});

test('over a WebSocket, they come from connection_init, else from the upgrade; those that a proxy writes from the upgrade alone', async () => {
  const FORWARD_HEADERS = `${FORWARD.FORWARD_HEADERS},X-Forwarded-For,X-Forwarded-Host`;
  await using gateway = await startScripted(undefined, { FORWARD_HEADERS });
  const open = async (payload: object) => {
    const proxys = { 'x-forwarded-for': '192.0.2.7' };
    const headers = { ...proxys, 'x-org': 'of the upgrade', 'x-locale': 'en' };
    const socket = await openSocket(gateway.url, { init: false, headers });
    const authorization = 'Bearer ann-token';
    socket.send({ type: 'connection_init', payload: { authorization, ...payload } });
    return socket;
  };
  const forged = { 'X-Forwarded-For': '192.0.2.8', 'x-forwarded-host': 'forged' };
  using own = await open({ ...forged, 'X-ORG': 'ours', 'x-other': 1, 'x-locale': null });
  await own.next();
  own.subscribe('1', MESSAGE);
  expect((await own.next())?.payload).toEqual({ data: MESSAGE_DATA });
  const wrong = [7, 'a\r\nauthorization: b', 'x'.repeat(8193)];
  const sockets = await Promise.all(wrong.map((org) => open({ 'x-org': org })));

  const seen = { 'x-org': 'ours', 'x-locale': 'en', 'x-forwarded-for': '192.0.2.7' };
  expect(gateway.service.headers).toMatchObject([seen]);
  expect(gateway.service.headers[0]).not.toHaveProperty('x-forwarded-host');
  for (const { closed } of sockets) expect(await closed).toBe(4400);
});

// security: secret-headers
test('in a process, they are given to execute, and no text has their words', async () => {
  const { lines, logger } = keepLines();
  const echo = answering({ status: 500, body: 'of Key-0123456789' });
  const refusal = answering({ status: 422, body: { error: 'not Key-0123456789, a' } });
  await using gateway = await createScripted(
    { 'GET /v1/messages/m1': [refusal, echo] },
    { logger, forwardHeaders: ['x-org', 'x-key'] },
  );
  const headers = { 'X-Key': 'Key-0123456789', 'x-org': 'a', host: 'h', none: undefined };
  const query = `query ofKey { message(id: "m1") { message } }`;
  const ask = (given: object) =>
    gateway.execute({ query, token: 'ann-token', headers: { ...given } });
  const results = [await ask(headers), await ask(headers)];
  const wrong = await ask({ 'x-org': 'a\nb' });

  const key = { 'x-key': 'Key-0123456789', 'x-org': 'a' };
  expect(gateway.service.headers).toMatchObject([key, key]);
  expect(results[0]?.errors?.[0]?.message).toContain('not [redacted], a');
  expect(JSON.stringify([results, lines])).not.toContain('0123456789');
  expect(wrong.errors?.[0]?.message).toContain(
    'headers to forward must be texts that HTTP',
  );
});

test.each([
  ['a number', 7],
  ['a list', ['a', 'b']],
  ['letters beyond Latin-1', 'Zürich €'],
  ['two lines', 'a\nb'],
  ['a long text', 'x'.repeat(8193)],
])(
  'a value that the application around the gateway sets, and that cannot be sent on, is refused: %s',
  async (_, org) => {
    await using gateway = await createScripted({}, { forwardHeaders: ['x-org'] });
    await using server = await serve((request, response) => {
      request.headers['x-org'] = org as string;
      gateway.handler(request, response);
    });

    const { status, errors } = await ask(server.url, MESSAGE);

    expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'BAD_REQUEST']);
    server.server.on('upgrade', (request, socket, head) => {
      request.headers['x-org'] = org as string;
      gateway.upgrade(request, socket, head);
    });
    using socket = await openSocket(server.url, { init: false });
    const payload = { authorization: 'Bearer ann-token' };
    socket.send({ type: 'connection_init', payload });
    expect(await socket.closed).toBe(4400);
    expect(gateway.service.calls).toEqual([]);
  },
);

/** For each value of the header, a service with messages and a viewer of its own. */
function createOrgs(): Respond {
  const counts = new Map<unknown, number>();
  return ({ line }, { 'x-org': org }) => {
    const count = counts.get(org) ?? 1;
    const contact = wireContact({ id: `me-${org}`, username: `${org}` });
    const toMessage = (at: number) => {
      const texts = { contact, message: `${org} ${at}`, created_at: at };
      return wireMessage(`m${at}`, texts);
    };
    if (line.startsWith('POST')) {
      counts.set(org, count + 1);
      return { body: toMessage(count + 1) };
    }
    if (line.includes('/conversations')) return { body: wireConversation('c1') };
    if (line.endsWith('/messages/m2')) return { body: toMessage(2) };
    const all = Array.from({ length: count }, (_, index) => toMessage(count - index));
    return { body: wirePage(all, false) };
  };
}

// security: shared-reads
test('with one token, each value has watches, a viewer and sent messages of its own', async () => {
  await using gateway = await startScripted(createOrgs(), { ...FORWARD, ...FAST });
  await using a = await subscribe(gateway.url, WATCH, { headers: of('a') });
  await using b = await subscribe(gateway.url, WATCH, { headers: of('b') });
  const watches = async () => (await readMetric(gateway, 'gateway_live_watches'))[''];
  await expect.poll(watches).toBe(2);
  const send = async (org: string) => {
    const { data } = await gateway.ask(sendAs('k'), { headers: of(org) });
    return data.sendMessage.message.message;
  };
  const sent = [await send('a'), await send('a'), await send('b')];
  const viewerOf = async (org: string) => {
    const { data } = await gateway.ask('{ viewer { username } }', { headers: of(org) });
    return data.viewer?.username;
  };

  expect(sent).toEqual(['a 2', 'a 2', 'b 2']);
  expect((await a.next())?.data.messageChanged.message).toEqual({ message: 'a 2' });
  expect((await b.next())?.data.messageChanged.message).toEqual({ message: 'b 2' });
  expect(await Promise.all(['a', 'b', 'c'].map(viewerOf))).toEqual(['a', 'b', undefined]);
});

// security: made-up-headers
test('one token has one share of all places, whatever values it sends', () => {
  const slots = new FairSlots(10);
  const caller = (token: string, org: string) =>
    new CallerId(toCallerName(token, of(org)), () => true);
  const taken = (token: string) =>
    Array.from({ length: 10 }, (_, at) => slots.acquire(caller(token, `${at}`)));

  expect(taken('ann').filter(Boolean)).toHaveLength(8);
  expect(taken('bob').filter(Boolean)).toHaveLength(1);
});
