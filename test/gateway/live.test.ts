import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import type { Environment } from '../../src/gateway.ts';
import { codes, startTestGateway } from '../support/gateway.ts';
import { readMetric } from '../support/metrics.ts';
import { subscribe } from '../support/subscribe.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const ADA = 'ada-sample-token';
const C = 'conv_lisbon_trip';
const MESSAGES = `subscription ($id: ID = "${C}") {
  messageChanged(conversationId: $id) {
    kind messageId messageNodeId conversationId message { id message }
  }
}`;
const CONVERSATIONS =
  'subscription { conversationChanged { kind conversationId conversationNodeId conversation { id isMuted } } }';
const FAST = { LIVE_POLL_MS: '100' };

/** A gateway before the embedded service, for one of its users. */
async function start(answers: Partial<Answers> = {}, env: Environment = {}) {
  const calls: string[] = [];
  const service = await startEmbeddedService({
    answers,
    onCall: ({ method, url }) => calls.push(`${method} ${url}`),
  });
  const gateway = await startTestGateway(service.url, { ...FAST, ...env });
  /** Sends, changes or deletes without the gateway. */
  const elsewhere = async (method: string, path: string, form = ''): Promise<string> => {
    const response = await fetch(`${service.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADA}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      ...(method === 'GET' ? {} : { body: form }),
    });
    return ((await response.json()) as { id: string }).id;
  };
  return {
    calls,
    gateway,
    elsewhere,
    ask: (query: string, variables = {}) => gateway.ask(query, { token: ADA, variables }),
    subscribe: (query: string, variables = {}) =>
      subscribe(gateway.url, query, { token: ADA, variables }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

const toNodeId = (text: string) => Buffer.from(text).toString('base64url');

describe('a subscription to messages', () => {
  test('tells what is sent, changed and deleted through the gateway', async () => {
    await using world = await start({}, { LIVE_POLL_MS: '600000' });
    await using live = await world.subscribe(MESSAGES);
    const sent = await world.ask(
      `mutation { sendMessage(input: { conversationId: "${C}", message: "one" }) { message { id } } }`,
    );
    const { id } = sent.data.sendMessage.message;
    const event = {
      messageId: id,
      messageNodeId: toNodeId(`Message:${id}`),
      conversationId: C,
    };

    expect(await live.next()).toEqual({
      data: {
        messageChanged: { ...event, kind: 'CREATED', message: { id, message: 'one' } },
      },
    });
    await world.ask(
      `mutation { updateMessage(input: { id: "${id}", message: "two" }) { message { id } } }`,
    );
    expect((await live.next())?.data.messageChanged).toEqual({
      ...event,
      kind: 'UPDATED',
      message: { id, message: 'two' },
    });
    await world.ask(
      `mutation { deleteMessage(input: { id: "${id}" }) { deletedMessageId } }`,
    );
    expect((await live.next())?.data.messageChanged).toEqual({
      ...event,
      kind: 'DELETED',
      message: null,
    });
  });

  test('tells what happens elsewhere, in the order of the list', async () => {
    await using world = await start();
    await using live = await world.subscribe(MESSAGES);
    const form = (text: string) => `conversation_id=${C}&message=${text}`;
    const id = await world.elsewhere('POST', '/messages', form('one'));
    expect((await live.next())?.data.messageChanged).toMatchObject({
      kind: 'CREATED',
      messageId: id,
      message: { message: 'one' },
    });
    await world.elsewhere('PUT', `/messages/${id}`, 'message=two');
    expect((await live.next())?.data.messageChanged).toMatchObject({
      kind: 'UPDATED',
      messageId: id,
      message: { message: 'two' },
    });
    await world.elsewhere('DELETE', `/messages/${id}`);
    expect((await live.next())?.data.messageChanged).toMatchObject({
      kind: 'DELETED',
      messageId: id,
      message: null,
    });
  });
});

test('a subscription to conversations tells what is created, changed and deleted, here and by messages', async () => {
  await using world = await start({}, { LIVE_POLL_MS: '600000' });
  await using live = await world.subscribe(CONVERSATIONS);
  const kinds = async () => {
    const { kind, conversationId } = (await live.next())?.data.conversationChanged ?? {};
    return [kind, conversationId];
  };
  const created = await world.ask(
    'mutation { createConversation(input: { contactId: "u9" }) { conversation { id } } }',
  );
  const { id } = created.data.createConversation.conversation;
  expect((await live.next())?.data).toEqual({
    conversationChanged: {
      kind: 'CREATED',
      conversationId: id,
      conversationNodeId: toNodeId(`Conversation:${id}`),
      conversation: { id, isMuted: false },
    },
  });
  await world.ask(
    `mutation { updateConversation(input: { id: "${id}", isMuted: true }) { conversation { id } } }`,
  );
  expect(await kinds()).toEqual(['UPDATED', id]);
  await world.ask(
    `mutation { sendMessage(input: { conversationId: "${C}", message: "m" }) { message { id } } }`,
  );
  expect(await kinds()).toEqual(['UPDATED', C]);
  await world.ask(
    `mutation { deleteConversation(input: { id: "${id}" }) { deletedConversationId } }`,
  );
  expect(await kinds()).toEqual(['DELETED', id]);
});

const PAGINGS = [
  ['limit', {}, {}],
  ['starting_after', { paging: 'starting_after' }, { PAGING: 'starting_after' }],
  ['offset', { paging: 'offset' }, { PAGING: 'offset' }],
  ['page', { paging: 'page' }, { PAGING: 'page' }],
] as const;

describe('the newest end is found', () => {
  const cases = PAGINGS.flatMap(([name, answers, env]) =>
    (['newest', 'oldest'] as const).flatMap((order) =>
      [undefined, 25].map((maxLimit) => ({ name, order, maxLimit, answers, env })),
    ),
  );

  test.each(cases)(
    'PAGING=$name, order: $order, maximum limit: $maxLimit',
    async ({ name, order, maxLimit, answers, env }) => {
      await using world = await start(
        { ...answers, order, maxLimit: maxLimit ?? null },
        { ...env, MAX_CALLS_PER_LIST: '60' },
      );
      // It has 640 messages: more than the window holds, and than the service gives at once.
      await using live = await world.subscribe(MESSAGES);
      if (order === 'oldest' && name === 'limit' && maxLimit !== undefined) {
        expect(codes(await firstOf(live))).toEqual({
          messageChanged: 'PAGE_OUT_OF_REACH',
        });
        expect(live.results[0]?.errors?.[0]?.message).toMatch(/PAGING/);
        return;
      }
      const sent: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        const form = `conversation_id=${C}&message=m${count}`;
        sent.push(await world.elsewhere('POST', '/messages', form));
        expect((await live.next())?.data.messageChanged).toMatchObject({
          kind: 'CREATED',
          messageId: sent.at(-1),
        });
      }
      const [first] = sent;
      await world.elsewhere('DELETE', `/messages/${first}`);
      expect((await live.next())?.data.messageChanged).toMatchObject({
        kind: 'DELETED',
        messageId: first,
      });
    },
  );

  test.each(PAGINGS)(
    'PAGING=%s, in the order of ids: only where the whole list fits into the window',
    async (_name, answers, env) => {
      const byId = { ...answers, order: 'id' as const };
      await using short = await start(byId, env);
      await using refused = await short.subscribe(MESSAGES);
      expect((await firstOf(refused)).errors?.[0]?.message).toMatch(/MAX_PAGE_SIZE/);

      await using long = await start(byId, { ...env, MAX_PAGE_SIZE: '1000' });
      await using live = await long.subscribe(MESSAGES);
      const form = `conversation_id=${C}&message=m`;
      const messageId = await long.elsewhere('POST', '/messages', form);
      const { data } = await firstOf(live);
      expect(data.messageChanged).toMatchObject({ kind: 'CREATED', messageId });
    },
  );

  test('a list in no order of time is refused, with what to set, unless it fits into the window', async () => {
    const times = [5, 1, 4, 2, 8, 3, 9, 7, 6, 0];
    const page = wirePage(
      times.map((at) => wireMessage(`m${at}`, { created_at: at })),
      true,
    );
    await using upstream = await startUpstream(() => ({ body: page }));
    await using gateway = await startTestGateway(upstream.url, { MAX_PAGE_SIZE: '10' });
    await using live = await subscribe(gateway.url, MESSAGES);

    const refused = await firstOf(live);

    expect(codes(refused)).toEqual({ messageChanged: 'PAGE_OUT_OF_REACH' });
    expect(refused.errors?.[0]?.message).toMatch(/MAX_PAGE_SIZE/);
    expect(await live.ended).toBe('complete');
  });

  test('a long list with its newest end behind it is refused if each look would read it all', async () => {
    const all = Array.from({ length: 101 }, (_, at) =>
      wireMessage(`m${at}`, { created_at: at }),
    );
    await using upstream = await startUpstream(({ line }) => {
      const limit = Number(/limit=(\d+)/.exec(line)?.[1] ?? 10);
      return { body: wirePage(all.slice(0, limit), all.length > limit) };
    });
    await using gateway = await startTestGateway(upstream.url, { MAX_PAGE_SIZE: '10' });
    await using live = await subscribe(gateway.url, MESSAGES);

    expect((await firstOf(live)).errors?.[0]?.message).toMatch(/Set PAGING/);
  });
});

async function firstOf(live: Awaited<ReturnType<typeof subscribe>>) {
  const result = await live.next();
  if (result === null) throw new Error('no result');
  return { ...result, status: live.status, headers: live.headers };
}

describe('an event', () => {
  test('is an operation of its own: its calls, its budget, its errors', async () => {
    let sent = 0;
    await using upstream = await startUpstream(({ line }) => {
      if (line.startsWith('GET /v1/conversations'))
        return sent === 1
          ? { body: wireConversation('c1', { last_active_at: 7 }) }
          : { status: 500 };
      const ids = ['m0', 'm1', 'm2'].slice(0, sent + 1).reverse();
      return { body: wirePage(ids.map((id) => wireMessage(id))) };
    });
    await using gateway = await startTestGateway(upstream.url, {
      ...FAST,
      REST_DEBUG: 'true',
      REST_RETRIES: '0',
      MAX_REST_CALLS: '1',
    });
    const query =
      'subscription { messageChanged(conversationId: "c1") { messageId message { conversation { lastActiveAt } } } }';
    await using live = await subscribe(gateway.url, query, {
      extensions: { rest: true, cost: true },
    });

    sent = 1;
    const first = await firstOf(live);
    sent = 2;
    const second = await firstOf(live);

    expect(first.data.messageChanged.message.conversation).toEqual({ lastActiveAt: 7 });
    expect(first.extensions.cost).toEqual({ estimated: 1, actual: 1, limit: 1 });
    expect(first.extensions.rest).toMatchObject([
      {
        call: 'GET /v1/conversations/c1',
        outcome: 200,
        fields: ['messageChanged.message.conversation'],
      },
    ]);
    expect(second.data.messageChanged).toEqual({
      messageId: 'm2',
      message: { conversation: null },
    });
    expect(codes(second)).toEqual({
      'messageChanged.message.conversation': 'UPSTREAM_ERROR',
    });
    expect(second.extensions.cost.actual).toBe(1);
  });

  test('of a malformed message has an error in its place', async () => {
    let list = [wireMessage('m1')];
    await using upstream = await startUpstream(() => ({ body: wirePage(list) }));
    await using gateway = await startTestGateway(upstream.url, FAST);
    await using live = await subscribe(gateway.url, MESSAGES);
    list = [wireMessage('m2', { message: 5 }), ...list];

    const event = await firstOf(live);

    expect(event.data.messageChanged).toMatchObject({ messageId: 'm2', message: null });
    expect(codes(event)).toEqual({
      'messageChanged.message': 'UPSTREAM_INVALID_RESPONSE',
    });
  });
});

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

    const refused = await firstOf(live);

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

    expect((await firstOf(live)).errors?.[0]?.extensions).toEqual({
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

    expect((await firstOf(second)).errors?.[0]?.extensions).toEqual({
      code: 'OVERLOADED',
      retryAfterSeconds: expect.any(Number),
    });
  });
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

  expect(codes(await firstOf(ann))).toEqual({ messageChanged: 'UNAUTHENTICATED' });
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
}, 60_000);

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
  let count = 20;
  await using upstream = await startUpstream(({ line }) => {
    if (line.startsWith('POST')) {
      count += 1;
      return { body: wireMessage(`m${count}`) };
    }
    const newest = Array.from({ length: 10 }, (_, index) => count - index);
    const list = newest.map((at) =>
      wireMessage(`m${at}`, { message: text, created_at: at }),
    );
    return { body: wirePage(list, true) };
  });
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
}, 60_000);

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
  const stopped = gateway.stop();
  const late = await subscribe(gateway.url, MESSAGES);

  expect(await late.ended).toBe('cut');
  for (const live of lives) expect(await live.ended).toBe('cut');
  await stopped;
});

test('other writes are answered although a subscription cannot be read', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages': [wirePage([wireMessage('m0')]), answering({ status: 500 })],
    'POST /v1/messages': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url, {
    ...FAST,
    REST_RETRIES: '0',
  });
  await using live = await subscribe(gateway.url, MESSAGES);
  const sent = await gateway.ask(
    'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }',
  );

  expect(sent.errors).toBeUndefined();
  expect(live.results).toEqual([]);
});
