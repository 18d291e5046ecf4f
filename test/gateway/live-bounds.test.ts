import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { startGrowingList } from '../support/growing-list.ts';
import { FAST, MESSAGES, nextAnswer } from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { subscribe } from '../support/subscribe.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

describe('a subscription is refused', () => {
  const list = () => ({ body: wirePage([wireMessage('m1')]) });

  test.each([
    ['without a token', { token: null }, {}, 'UNAUTHENTICATED'],
    ['with a token that the service refuses', { token: 'bad' }, {}, 'UNAUTHENTICATED'],
    [
      'with an id that is no path segment',
      { variables: { id: '..' } },
      {},
      'BAD_USER_INPUT',
    ],
    [
      'to a conversation that does not exist',
      { variables: { id: 'c9' } },
      {},
      'NOT_FOUND',
    ],
    ['if LIVE is false', {}, { LIVE: 'false' }, 'NOT_CONFIGURED'],
  ] as const)('%s', async (_why, options, env, code) => {
    await using upstream = await startUpstream(({ line, token }) => {
      if (token === 'Bearer bad') return { status: 401 };
      return line.includes('c9') ? { status: 404 } : list();
    });
    await using gateway = await startTestGateway(upstream.url, env);
    await using live = await subscribe(gateway.url, MESSAGES, options);

    const refused = await nextAnswer(live);

    expect(live.status).toBe(200);
    expect(refused).not.toHaveProperty('data');
    expect(codes(refused)).toEqual({ messageChanged: code });
    expect(await live.ended).toBe('complete');
  });

  test('above the price, before any call', async () => {
    await using upstream = await startUpstream(list);
    await using gateway = await startTestGateway(upstream.url, { MAX_REST_CALLS: '1' });
    const query = `subscription { messageChanged(conversationId: "c1") { message {
      conversation { isMuted pinnedMessage { message } } } } }`;
    await using live = await subscribe(gateway.url, query);

    expect((await nextAnswer(live)).errors?.[0]?.extensions).toEqual({
      code: 'OPERATION_TOO_COSTLY',
      cost: { estimated: 2, limit: 1 },
    });
    expect(upstream.calls).toEqual([]);
  });

  test('above MAX_SUBSCRIPTIONS, with a time to try again', async () => {
    await using upstream = await startUpstream(list);
    await using gateway = await startTestGateway(upstream.url, {
      MAX_SUBSCRIPTIONS: '1',
    });
    await using _first = await subscribe(gateway.url, MESSAGES);
    await using second = await subscribe(gateway.url, MESSAGES, { token: 'ben' });

    expect((await nextAnswer(second)).errors?.[0]?.extensions).toEqual({
      code: 'OVERLOADED',
      retryAfterSeconds: expect.any(Number),
    });
  });
});

test('what open subscriptions keep of their documents is bounded, for each caller and in all', async () => {
  await using upstream = await startUpstream(() => ({
    body: wirePage([wireMessage('m1')]),
  }));
  await using gateway = await startTestGateway(upstream.url);
  // Each has some 2,700 tokens of its own.
  const documentOf = (name: string) => {
    const fields = Array.from({ length: 900 }, (_, at) => `${name}${at}: kind`);
    return `subscription { messageChanged(conversationId: "c1") { ${fields.join(' ')} } }`;
  };
  const open: AsyncDisposable[] = [];
  const codesOf = async (name: string, token: string) => {
    const live = await subscribe(gateway.url, documentOf(name), { token });
    open.push(live);
    // Only an answer that is complete has a length.
    if (!live.headers.has('content-length')) return 'open';
    return (await nextAnswer(live)).errors?.[0]?.extensions.code ?? '';
  };
  const own: string[] = [];
  for (let count = 0; count < 22; count += 1)
    own.push(await codesOf(`a${count}_`, 'ann'));

  expect(own[0]).toBe('open');
  expect(own.at(-1)).toBe('OVERLOADED');
  expect(await codesOf('b', 'ben')).toBe('open');
  await Promise.all(open.map((live) => live[Symbol.asyncDispose]()));
  await expect
    .poll(() => readMetric(gateway, 'gateway_live_subscriptions'))
    .toEqual({ '': 0 });
  expect(await codesOf('again', 'ann')).toBe('open');
  await open.at(-1)?.[Symbol.asyncDispose]();
});

test('a long request is held no more when its subscription has begun', async () => {
  await using upstream = await startUpstream(() => ({
    body: wirePage([wireMessage('m1')]),
  }));
  await using gateway = await startTestGateway(upstream.url);
  // Three of them are all that the running operations of one caller may hold. No field needs it.
  const variables = { unused: Array(250_000).fill({}) };
  const open: AsyncDisposable[] = [];
  const statuses: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    const live = await subscribe(gateway.url, MESSAGES, { variables });
    open.push(live);
    statuses.push(live.status);
  }
  await Promise.all(open.map((live) => live[Symbol.asyncDispose]()));

  expect(statuses).toEqual([200, 200, 200, 200, 200]);
});

test('a token that the service accepts no more ends its subscriptions with that error, and no other', async () => {
  const refused = new Set<string>();
  let sent = 0;
  await using upstream = await startUpstream(({ token = '' }) => {
    if (refused.has(token)) return { status: 401 };
    const ids = Array.from({ length: sent + 1 }, (_, at) => `m${at}`).reverse();
    return { body: wirePage(ids.map((id) => wireMessage(id))) };
  });
  await using gateway = await startTestGateway(upstream.url, FAST);
  await using ann = await subscribe(gateway.url, MESSAGES, { token: 'ann' });
  await using ben = await subscribe(gateway.url, MESSAGES, { token: 'ben' });
  refused.add('Bearer ann');
  sent = 1;

  expect(codes(await nextAnswer(ann))).toEqual({ messageChanged: 'UNAUTHENTICATED' });
  expect(await ann.ended).toBe('complete');
  expect((await ben.next())?.data.messageChanged.messageId).toBe('m1');
});

test('200 tokens with the same ids, and writes by all: every event has the text of its own token', async () => {
  const tokens = Array.from({ length: 200 }, (_, index) => `token-${index}`);
  const sent = new Map(tokens.map((token) => [`Bearer ${token}`, 1]));
  await using upstream = await startUpstream(({ line, token = '' }) => {
    // One conversation that all see, each with texts of its own.
    if (line.startsWith('POST'))
      for (const [one, count] of sent) sent.set(one, count + 1);
    const ids = Array.from({ length: sent.get(token) ?? 0 }, (_, at) => `m${at}`);
    const messages = ids
      .reverse()
      .map((id) => wireMessage(id, { message: `${id} of ${token}` }));
    return { body: line.startsWith('POST') ? messages[0] : wirePage(messages) };
  });
  await using gateway = await startTestGateway(upstream.url, {
    LIVE_POLL_MS: '60000',
    MAX_SUBSCRIPTIONS: '1000',
  });
  const lives = await Promise.all(
    tokens.map((token) =>
      subscribe(gateway.url, MESSAGES, { token, variables: { id: 'c1' } }),
    ),
  );
  try {
    for (const token of tokens.slice(0, 20)) {
      await gateway.ask(
        'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }',
        { token },
      );
    }
    for (const [index, live] of lives.entries()) {
      await expect.poll(() => live.results.length).toBe(20);
      const texts = live.results.map(({ data }) => data.messageChanged.message.message);
      expect(new Set(texts.map((text) => text.split(' of ')[1]))).toEqual(
        new Set([`Bearer ${tokens[index]}`]),
      );
    }
  } finally {
    await Promise.all(lives.map((live) => live[Symbol.asyncDispose]()));
  }
});

test('a look joins no read that began before the write that it follows', async () => {
  let sent = 0;
  let release = () => {};
  await using upstream = await startUpstream(async ({ line, token }) => {
    if (line.startsWith('POST')) sent = 1;
    const body = line.startsWith('POST')
      ? wireMessage('m1')
      : wirePage((sent === 1 ? ['m1', 'm0'] : ['m0']).map((id) => wireMessage(id)));
    const isSlow = token === 'Bearer ann-token' && line.includes('limit=77');
    if (isSlow && sent === 0) {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }
    return { body };
  });
  await using gateway = await startTestGateway(upstream.url, {
    LIVE_POLL_MS: '60000',
    MAX_PAGE_SIZE: '77',
  });
  release();
  const subscribing = subscribe(gateway.url, MESSAGES, { variables: { id: 'c1' } });
  await expect.poll(() => upstream.calls.length).toBe(1);
  release();
  await using live = await subscribing;
  const reading = gateway.ask(
    '{ messages(conversationId: "c1", first: 77) { nodes { id } } }',
  );
  await expect.poll(() => upstream.calls.length).toBe(2);
  await gateway.ask(
    'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }',
    { token: 'ben-token' },
  );

  expect((await live.next())?.data.messageChanged.messageId).toBe('m1');
  release();
  await reading;
});

describe('seen from outside', () => {
  test('subscriptions, looks, changes and events are counted', async () => {
    let sent = 0;
    await using upstream = await startUpstream(() => ({
      body: wirePage((sent === 0 ? ['m0'] : ['m1', 'm0']).map((id) => wireMessage(id))),
    }));
    await using gateway = await startTestGateway(upstream.url, FAST);
    const live = await subscribe(gateway.url, MESSAGES);
    sent = 1;
    await live.next();

    expect(await readMetric(gateway, 'gateway_live_subscriptions')).toEqual({ '': 1 });
    expect(await readMetric(gateway, 'gateway_live_watches')).toEqual({ '': 1 });
    expect(await readMetric(gateway, 'gateway_live_changes_total')).toEqual({
      '{kind="CREATED"}': 1,
    });
    expect(await readMetric(gateway, 'gateway_live_events_total')).toEqual({
      '{codes="none"}': 1,
    });
    const looks = await readMetric(gateway, 'gateway_live_looks_total');
    expect(looks['{outcome="changed"}']).toBe(1);
    const calls = await readMetric(gateway, 'gateway_rest_calls_total');
    expect(Object.values(calls)[0]).toBeGreaterThanOrEqual(2);

    await live[Symbol.asyncDispose]();
    await expect
      .poll(() => readMetric(gateway, 'gateway_live_ends_total'))
      .toEqual({ '{reason="left"}': 1 });
    expect(await readMetric(gateway, 'gateway_live_subscriptions')).toEqual({ '': 0 });
  });
});

test('a client that does not read its events is disconnected, and no other is', async () => {
  const text = 'x'.repeat(20_000);
  await using upstream = await startGrowingList({ size: 10, message: text });
  await using gateway = await startTestGateway(upstream.url, {
    LIVE_POLL_MS: '60000',
    MAX_PAGE_SIZE: '10',
  });
  const names = Array.from(
    { length: 50 },
    (_, index) => `m${index}: message { message }`,
  );
  const query = `subscription { messageChanged(conversationId: "c1") { ${names.join(' ')} } }`;
  const idle = await subscribeWithoutReading(gateway.url, query);
  await using reading = await subscribe(gateway.url, MESSAGES, {
    variables: { id: 'c1' },
  });
  await expect
    .poll(() => readMetric(gateway, 'gateway_live_subscriptions'))
    .toEqual({ '': 2 });

  let sent = 0;
  const ends = () => readMetric(gateway, 'gateway_live_ends_total');
  for (; sent < 1000 && Object.keys(await ends()).length === 0; sent += 1) {
    await gateway.ask(
      'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }',
    );
    await expect.poll(() => reading.results.length).toBe(sent + 1);
  }
  idle.resume();
  await once(idle, 'close');

  expect(await ends()).toEqual({ '{reason="overrun"}': 1 });
  expect(sent).toBeGreaterThan(100);
  expect(await readMetric(gateway, 'gateway_live_subscriptions')).toEqual({ '': 1 });
});

/** Subscribes over a connection from which nothing is read before `resume` is called. */
async function subscribeWithoutReading(url: string, query: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  await once(socket, 'connect');
  const body = JSON.stringify({ query });
  const head = [
    'POST /graphql HTTP/1.1',
    'host: x',
    'accept: text/event-stream',
    'authorization: Bearer ann-token',
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

test('a gateway that stops ends its streams without complete, and takes no new ones', async () => {
  await using upstream = await startUpstream(() => ({
    body: wirePage([wireMessage('m1')]),
  }));
  const gateway = await startTestGateway(upstream.url);
  const lives = await Promise.all(
    Array.from({ length: 10 }, () => subscribe(gateway.url, MESSAGES)),
  );
  const stopped = gateway.close();
  const late = await subscribe(gateway.url, MESSAGES);

  expect(await late.ended).toBe('cut');
  for (const live of lives) expect(await live.ended).toBe('cut');
  await stopped;
});
