import { describe, expect, test } from 'vitest';
import { codes, startScripted } from '../support/gateway.ts';
import { connectTo, toPost } from '../support/http.ts';
import {
  FAST,
  growingList,
  MESSAGES,
  NO_POLLS,
  nextAnswer,
  openSubscriptions,
  SEND,
} from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { openSocket } from '../support/socket.ts';
import { subscribe } from '../support/subscribe.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const ALIASES = Array.from({ length: 50 }, (_, at) => `m${at}: message { message }`);
/** Each of its events has the text of a message fifty times. */
const LONG_EVENTS = `subscription { messageChanged(conversationId: "c1") { ${ALIASES.join(' ')} } }`;

describe('a subscription is refused', () => {
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
  ] as const)('%s', async (_, options, env, code) => {
    await using gateway = await startScripted(({ line, token }) => {
      if (token === 'Bearer bad') return { status: 401 };
      return line.includes('c9') ? { status: 404 } : { body: wirePage([]) };
    }, env);
    await using live = await subscribe(gateway.url, MESSAGES, options);

    const refused = await nextAnswer(live);

    expect(live.status).toBe(200);
    expect(refused).not.toHaveProperty('data');
    expect(codes(refused)).toEqual({ messageChanged: code });
    expect(await live.ended).toBe('complete');
  });

  test('above MAX_SUBSCRIPTIONS', async () => {
    await using gateway = await startScripted(growingList(), { MAX_SUBSCRIPTIONS: '1' });
    await using _open = await subscribe(gateway.url, MESSAGES);
    await using live = await subscribe(gateway.url, MESSAGES);

    expect((await nextAnswer(live)).errors?.[0]?.extensions).toEqual({
      code: 'OVERLOADED',
      retryAfterSeconds: expect.any(Number),
    });
  });

  // security: costly-events
  test('above the price, before any call', async () => {
    await using gateway = await startScripted(growingList(), { MAX_REST_CALLS: '1' });
    const query = `subscription { messageChanged(conversationId: "c1") { message {
      conversation { isMuted pinnedMessage { message } } } } }`;
    await using live = await subscribe(gateway.url, query);

    expect((await nextAnswer(live)).errors?.[0]?.extensions).toEqual({
      code: 'OPERATION_TOO_COSTLY',
      cost: { estimated: 2, limit: 1 },
    });
    expect(gateway.service.calls).toEqual([]);
  });
});

// security: long-subscriptions
test.each([
  [
    '2,700 tokens',
    (name: string) =>
      Array.from({ length: 900 }, (_, at) => `${name}${at}: kind`).join(' '),
  ],
  ['a million characters', (name: string) => `kind #${name.padEnd(1_000_000)}\n`],
])('open subscriptions that each keep %s are bounded', async (_, fieldsOf) => {
  await using gateway = await startScripted(growingList());
  const documentOf = (name: string) =>
    `subscription { messageChanged(conversationId: "c1") { ${fieldsOf(name)} } }`;
  const open: AsyncDisposable[] = [];
  const codesOf = async (name: string, token: string) => {
    const live = await subscribe(gateway.url, documentOf(name), { token });
    open.push(live);
    // Only an answer that is complete has a length.
    if (!live.headers.has('content-length')) return 'open';
    return (await nextAnswer(live)).errors?.[0]?.extensions.code ?? '';
  };
  const own: string[] = [];
  while (own.at(-1) !== 'OVERLOADED' && own.length < 30)
    own.push(await codesOf(`a${own.length}_`, 'ann'));

  expect(own[0]).toBe('open');
  expect(own.at(-1)).toBe('OVERLOADED');
  expect(await codesOf('b', 'ben')).toBe('open');
  await Promise.all(open.map((live) => live[Symbol.asyncDispose]()));
  await expect.poll(() => openSubscriptions(gateway)).toBe(0);
  expect(await codesOf('again', 'ann')).toBe('open');
  await open.at(-1)?.[Symbol.asyncDispose]();
});

// security: long-requests
test('a long request is held no more when its subscription has begun', async () => {
  await using gateway = await startScripted(growingList());
  // Four of them are all that the running operations of one caller may hold. No field needs it.
  const variables = { unused: Array(131_000).fill({}) };
  const open: AsyncDisposable[] = [];
  const statuses: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    const live = await subscribe(gateway.url, MESSAGES, { variables });
    open.push(live);
    statuses.push(live.status);
  }
  await Promise.all(open.map((live) => live[Symbol.asyncDispose]()));

  expect(statuses).toEqual(Array(6).fill(200));
});

// security: events-of-another
test('40 tokens with the same ids, and writes by all: every event has the text of its own token', async () => {
  const tokens = Array.from({ length: 40 }, (_, index) => `token-${index}`);
  let count = 1;
  // One conversation that all see, each with texts of its own.
  await using gateway = await startScripted(({ line, token }) => {
    if (line.startsWith('POST')) count += 1;
    const messages = Array.from({ length: count }, (_, at) =>
      wireMessage(`m${count - at}`, { message: `of ${token}` }),
    );
    return { body: line.startsWith('POST') ? messages[0] : wirePage(messages) };
  }, NO_POLLS);
  const lives = await Promise.all(
    tokens.map((token) =>
      subscribe(gateway.url, MESSAGES, { token, variables: { id: 'c1' } }),
    ),
  );

  for (const token of tokens.slice(0, 10)) await gateway.ask(SEND, { token });
  for (const live of lives) await expect.poll(() => live.results).toHaveLength(10);
  await Promise.all(lives.map((live) => live[Symbol.asyncDispose]()));

  const seen = lives.map(({ results }) => [
    ...new Set(results.map(({ data }) => data.messageChanged.message.message)),
  ]);
  expect(seen).toEqual(tokens.map((token) => [`of Bearer ${token}`]));
});

// security: endless-subscriptions
test('beside a caller with many lists that the service does not answer, no poll of others is delayed', async () => {
  const list = growingList();
  let isSlow = false;
  let unanswered = 0;
  await using gateway = await startScripted(
    async (call, headers) => {
      if (isSlow && call.token === 'Bearer slow') {
        unanswered += 1;
        await new Promise(() => {});
      }
      return list(call, headers);
    },
    { ...FAST, REST_TIMEOUT_MS: '600000', OPERATION_TIMEOUT_MS: '600000' },
  );
  // More than may be polled at once, for one caller.
  using slow = await openSocket(gateway.url, { token: 'slow' });
  for (let at = 0; at < 60; at += 1)
    slow.subscribe(`${at}`, MESSAGES, { id: `slow${at}` });
  await expect.poll(() => gateway.service.calls.length).toBeGreaterThanOrEqual(60);
  await using ben = await subscribe(gateway.url, MESSAGES, { token: 'ben' });
  isSlow = true;
  await expect.poll(() => unanswered).toBeGreaterThanOrEqual(12);

  await gateway.ask(SEND, { token: 'cat' });

  expect((await ben.next())?.data.messageChanged.messageId).toBe('m2');
});

test.each(['server-sent events', 'a WebSocket'])(
  'a subscription whose state at its start is not known in its time is refused over %s',
  async (transport) => {
    // One poll at once. The second one ends in time, but begins so late that its subscription has waited too long.
    await using gateway = await startScripted(
      () => ({ body: wirePage([]), delayMs: 450 }),
      { REST_CONNECTIONS: '4', OPERATION_TIMEOUT_MS: '500' },
    );
    using socket = await openSocket(gateway.url);
    socket.subscribe('c1', MESSAGES, { id: 'c1' });
    await expect.poll(() => gateway.service.calls.length).toBe(1);
    const errors = [
      {
        message: expect.stringContaining('longer than 500 ms (OPERATION_TIMEOUT_MS)'),
        path: ['messageChanged'],
        extensions: { code: 'UPSTREAM_TIMEOUT' },
      },
    ];

    if (transport === 'a WebSocket') {
      socket.subscribe('c2', MESSAGES, { id: 'c2' });
      const ofSecond = () => socket.messages.find(({ id }) => id === 'c2');
      await expect.poll(ofSecond).toMatchObject({ type: 'error', payload: errors });
    } else {
      const variables = { id: 'c2' };
      await using second = await subscribe(gateway.url, MESSAGES, { variables });
      expect(await second.next()).toMatchObject({ errors });
      expect(await second.ended).toBe('complete');
    }
  },
);

// security: leaving-clients
test('the first poll of a list that waits for its turn is not made when its client has left', async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  // One poll at once.
  await using gateway = await startScripted(
    async () => {
      await answered;
      return { body: wirePage([]) };
    },
    { ...NO_POLLS, REST_CONNECTIONS: '4' },
  );
  using socket = await openSocket(gateway.url);
  socket.subscribe('first', MESSAGES, { id: 'c1' });
  await expect.poll(() => gateway.service.calls.length).toBe(1);
  socket.subscribe('left', MESSAGES, { id: 'c2' });
  socket.subscribe('last', MESSAGES, { id: 'c3' });
  await expect.poll(() => readMetric(gateway, 'gateway_live_watches')).toEqual({ '': 3 });

  socket.send({ id: 'left', type: 'complete' });
  await expect.poll(() => readMetric(gateway, 'gateway_live_watches')).toEqual({ '': 2 });
  answer();

  await expect.poll(() => gateway.service.calls.length).toBe(2);
  expect(gateway.service.lines().at(-1)).toContain('conversation_id=c3');
});

test('a client that does not read its events does not hold up a stop', async () => {
  await using gateway = await startScripted(
    growingList({ newest: 4, message: 'x'.repeat(100_000) }),
    { ...NO_POLLS, MAX_PAGE_SIZE: '4' },
  );
  const client = connectTo(gateway.url).pause();
  client.write(toPost(LONG_EVENTS, { Accept: 'text/event-stream' }));
  await expect.poll(() => openSubscriptions(gateway)).toBe(1);
  // Some 30 MB, more than the connection holds.
  for (let sent = 1; sent <= 6; sent += 1) {
    await gateway.ask(SEND);
    await expect
      .poll(() => readMetric(gateway, 'gateway_live_changes_total'))
      .toEqual({ '{kind="CREATED"}': sent });
  }

  // A stop waits up to 31 seconds for what runs.
  await gateway.close();
  client.destroy();
}, 20_000);

// security: unread-events
test('of the clients that read no long events, the slowest are disconnected when 64 MiB wait', async () => {
  await using gateway = await startScripted(
    growingList({ newest: 4, message: 'x'.repeat(250_000) }),
    { ...NO_POLLS, MAX_PAGE_SIZE: '4' },
  );
  const formats = ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0'];
  const clients = [...formats, ...formats, ...formats, ...formats].map((accept) => {
    const client = connectTo(gateway.url).pause();
    client.write(toPost(LONG_EVENTS, { Accept: accept }));
    return client;
  });
  await expect.poll(() => openSubscriptions(gateway)).toBe(8);

  // 12.5 MB for each.
  await gateway.ask(SEND);

  await expect
    .poll(() => readMetric(gateway, 'gateway_slow_clients_total'))
    .toMatchObject({ '{reason="room"}': 3 });
  for (const client of clients) client.destroy();
});
