import { describe, expect, test } from 'vitest';
import { codes, startScripted, startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import {
  FAST,
  growingList,
  LONGEST,
  MESSAGES,
  NO_POLLS,
  nextAnswer,
  openSubscriptions,
  SEND,
  startLiveWorld,
} from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { openSocket } from '../support/socket.ts';
import { type Subscription, subscribe } from '../support/subscribe.ts';
import { nodeIdOf, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const CONVERSATIONS =
  'subscription { conversationChanged { kind conversationId conversationNodeId conversation { id isMuted } } }';

test('a subscription to messages tells what is sent, changed and deleted, here and elsewhere', async () => {
  await using world = await startLiveWorld();
  await using live = await world.subscribe(MESSAGES);
  const sent = await world.ask(
    `mutation { sendMessage(input: { conversationId: "${LONGEST}", message: "one" }) { message { id } } }`,
  );
  const { id } = sent.data.sendMessage.message;
  const event = {
    messageId: id,
    messageNodeId: nodeIdOf('Message', id),
    conversationId: LONGEST,
  };

  expect(await live.next()).toEqual({
    data: {
      messageChanged: { ...event, kind: 'CREATED', message: { id, message: 'one' } },
    },
  });
  await world.elsewhere('PUT', `/messages/${id}`, 'message=two');
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

test('a subscription to conversations tells what is created, changed and deleted, here and by messages', async () => {
  await using world = await startLiveWorld({}, NO_POLLS);
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
      conversationNodeId: nodeIdOf('Conversation', id),
      conversation: { id, isMuted: false },
    },
  });
  await world.ask(
    `mutation { updateConversation(input: { id: "${id}", isMuted: true }) { conversation { id } } }`,
  );
  expect(await kinds()).toEqual(['UPDATED', id]);
  await world.ask(SEND.replace('c1', LONGEST));
  expect(await kinds()).toEqual(['UPDATED', LONGEST]);
  await world.ask(
    `mutation { deleteConversation(input: { id: "${id}" }) { deletedConversationId } }`,
  );
  expect(await kinds()).toEqual(['DELETED', id]);
});

test('without a conversation, the messages of all are told, by one watch, with the conversation of each', async () => {
  await using world = await startLiveWorld({}, NO_POLLS);
  await using live = await world.subscribe(
    'subscription { messageChanged { kind conversationId messageId message { message } } }',
  );
  const told = async () => (await live.next())?.data.messageChanged;
  const sent: string[] = [];
  for (const conversationId of [LONGEST, 'conv_ada_grace']) {
    const { data } = await world.ask(
      `mutation { sendMessage(input: { conversationId: "${conversationId}", message: "hi" }) { message { id } } }`,
    );
    const messageId = data.sendMessage.message.id;
    sent.push(messageId);
    expect(await told()).toEqual({
      kind: 'CREATED',
      conversationId,
      messageId,
      message: { message: 'hi' },
    });
  }
  // Another user of the gateway, whose conversation is in the window.
  const { data } = await world.gateway.ask(
    'mutation { sendMessage(input: { conversationId: "conv_ada_grace", message: "ho" }) { message { id } } }',
    { token: 'grace-sample-token' },
  );
  expect((await told()).messageId).toBe(data.sendMessage.message.id);
  await world.ask(
    `mutation { deleteMessage(input: { id: "${sent[0]}" }) { deletedMessageId } }`,
  );
  expect(await told()).toEqual({
    kind: 'DELETED',
    conversationId: LONGEST,
    messageId: sent[0],
    message: null,
  });
  await world.ask(
    'mutation { deleteConversation(input: { id: "conv_ada_grace" }) { deletedConversationId } }',
  );
  const gone = [await told(), await told()];
  expect(gone.map(({ kind, conversationId }) => [kind, conversationId])).toEqual(
    Array(2).fill(['DELETED', 'conv_ada_grace']),
  );
  expect(new Set(world.calls.filter((line) => line.includes('/messages?')))).toEqual(
    new Set(['GET /v1/messages?limit=100']),
  );
});

test('a message of which the conversation cannot be read is an event with an error', async () => {
  const list: object[] = [wireMessage('m1')];
  await using gateway = await startScripted(() => ({ body: wirePage(list) }), FAST);
  await using live = await subscribe(
    gateway.url,
    'subscription { messageChanged { messageId conversationId } }',
  );
  list.unshift(wireMessage('m2', { conversation_id: 7, created_at: 1700000009 }));

  const { data, errors } = (await live.next()) ?? {};
  expect(data).toBeNull();
  expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
  list.shift();
  const gone = await live.next();
  expect(gone?.errors?.[0]?.extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
});

test('a message that can no longer be read, and its deletion, still name its conversation', async () => {
  const list: object[] = [wireMessage('m1')];
  await using gateway = await startScripted(() => ({ body: wirePage(list) }), FAST);
  await using live = await subscribe(
    gateway.url,
    'subscription { messageChanged { kind messageId conversationId message { id } } }',
  );
  const event = { messageId: 'm1', conversationId: 'c1', message: null };

  list[0] = wireMessage('m1', { contact: null });
  const updated = await nextAnswer(live);
  expect(updated.data.messageChanged).toEqual({ ...event, kind: 'UPDATED' });
  expect(codes(updated)).toEqual({
    'messageChanged.message': 'UPSTREAM_INVALID_RESPONSE',
  });
  list.pop();
  expect((await live.next())?.data.messageChanged).toEqual({ ...event, kind: 'DELETED' });
});

test('who opens a conversation does not poll the messages of all, and two subscriptions are one watch', async () => {
  await using world = await startLiveWorld({}, NO_POLLS);
  await using live = await world.subscribe(
    'subscription { messageChanged { messageId } }',
  );
  await using again = await world.subscribe(
    'subscription { messageChanged { conversationId } }',
  );
  const polls = () => world.calls.filter((line) => line.includes('/messages?')).length;
  const before = polls();
  await world.ask(
    'mutation { createConversation(input: { contactId: "u9" }) { conversation { id } } }',
  );
  await world.ask(SEND.replace('c1', LONGEST));
  await live.next();
  await again.next();

  expect([before, polls()]).toEqual([1, 2]);
});

describe('an event', () => {
  // security: costly-events
  test('is an operation of its own: its calls, its budget, its errors', async () => {
    const list = growingList();
    let isDown = false;
    await using gateway = await startScripted(
      (call, headers) => {
        if (!call.line.startsWith('GET /v1/conversations')) return list(call, headers);
        const body = wireConversation('c1', { last_active_at: 7 });
        return isDown ? { status: 500 } : { body };
      },
      { ...NO_POLLS, REST_DEBUG: 'true', REST_RETRIES: '0', MAX_REST_CALLS: '1' },
    );
    const query =
      'subscription { messageChanged(conversationId: "c1") { messageId message { conversation { lastActiveAt } } } }';
    await using live = await subscribe(gateway.url, query, {
      extensions: { rest: true, cost: true },
    });

    await gateway.ask(SEND);
    const first = await nextAnswer(live);
    isDown = true;
    await gateway.ask(SEND);
    const second = await nextAnswer(live);

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
      messageId: 'm3',
      message: { conversation: null },
    });
    expect(codes(second)).toEqual({
      'messageChanged.message.conversation': 'UPSTREAM_ERROR',
    });
    expect(second.extensions.cost.actual).toBe(1);
  });

  // security: leaving-clients
  test.each([
    ['an event stream', 'text/event-stream'],
    ['a multipart stream', 'multipart/mixed;subscriptionSpec=1.0'],
    ['complete over a WebSocket', 'complete'],
    ['a WebSocket that is lost', 'terminate'],
  ])('is given up with its calls when its client leaves: %s', async (_, how) => {
    const list = growingList();
    await using gateway = await startScripted(
      (call, headers) =>
        call.line.startsWith('GET /v1/conversations')
          ? new Promise(() => {})
          : list(call, headers),
      { ...NO_POLLS, REST_TIMEOUT_MS: '100000000', OPERATION_TIMEOUT_MS: '100000000' },
    );
    const query =
      'subscription { messageChanged(conversationId: "c1") { message { conversation { lastActiveAt } } } }';
    using socket = await openSocket(gateway.url);
    const leave: Record<string, () => unknown> = {
      complete: () => socket.send({ id: '1', type: 'complete' }),
      terminate: () => socket.ws.terminate(),
    };
    let leaveStream = leave[how];
    if (leaveStream === undefined) {
      const live = await subscribe(gateway.url, query, { headers: { accept: how } });
      leaveStream = () => live[Symbol.asyncDispose]();
    } else socket.subscribe('1', query);
    await expect.poll(() => openSubscriptions(gateway)).toBe(1);
    await gateway.ask(SEND);
    await expect.poll(gateway.service.lines).toContain('GET /v1/conversations/c1');

    await leaveStream();

    await expect
      .poll(() => gateway.service.aborted)
      .toEqual(['GET /v1/conversations/c1']);
  });
});

describe('@skip and @include', () => {
  const ROOT = 'messageChanged(conversationId: "c1")';

  test.each([
    [
      'a variable that chooses between two',
      `{ ${ROOT} @skip(if: $a) { kind } conversationChanged @include(if: $a) { kind } }`,
    ],
    ['a literal', `{ ${ROOT} @include(if: true) { kind } ...F @skip(if: $a) }`],
    ['no argument', `{ ${ROOT} @skip { kind } }`],
    ['an inline fragment', `{ ... @include(if: $a) { ${ROOT} { kind } } }`],
    ['a spread', '{ ...F @skip(if: $a) }'],
    ['a field of a fragment', '{ ...G }'],
  ])('are refused at the root of a subscription: %s', async (_, selection) => {
    await using gateway = await startTestGateway(NOWHERE);
    const query = `subscription ($a: Boolean!) ${selection}
      fragment F on Subscription { ${ROOT} { kind } }
      fragment G on Subscription { ${ROOT} @skip(if: $a) { kind } }`;
    const variables = { a: false };

    const { status, errors } = await gateway.ask(query, { variables });
    using socket = await openSocket(gateway.url);
    socket.subscribe('1', query, variables);

    expect(status).toBe(400);
    expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(JSON.stringify(errors)).toMatch(/@skip or @include/);
    expect(await socket.next()).toMatchObject({ type: 'error', payload: errors });
  });

  test('decide below the root field about each event', async () => {
    await using gateway = await startScripted(growingList(), NO_POLLS);
    const query = `subscription ($a: Boolean!) { ${ROOT} { messageId @skip(if: $a) kind @include(if: $a) } }`;
    await using live = await subscribe(gateway.url, query, { variables: { a: true } });

    await gateway.ask(SEND);

    expect((await live.next())?.data).toEqual({ messageChanged: { kind: 'CREATED' } });
  });
});

test('a client may accept JSON and events: a query is answered with JSON, and a subscription with events', async () => {
  await using gateway = await startScripted(growingList());
  const type = 'application/graphql-response+json';
  const headers = { accept: `${type}, application/json, text/event-stream` };

  const read = await gateway.ask('{ messages { nodes { id } } }', { headers });
  await using live = await subscribe(gateway.url, MESSAGES, { headers });

  expect(read.data.messages.nodes).toEqual([{ id: 'm1' }]);
  expect(read.headers.get('content-type')).toContain(type);
  expect(live.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(live.headers.get('x-accel-buffering')).toBe('no');
});

describe('a list that is read beside a subscription', () => {
  const READ = '{ messages(conversationId: "c1", first: 5) { nodes { id } } }';

  /** A service that answers with what its list is when a call arrives, but holds the answer of one read of five messages. */
  async function startHeldService(env: Record<string, string>, heldRead = 0) {
    const ids = ['m0'];
    const { promise: allowed, resolve: answerHeld } = Promise.withResolvers<void>();
    let read5 = 0;
    const gateway = await startScripted(async ({ line }) => {
      const body = wirePage(ids.map((id) => wireMessage(id)));
      if (line.includes('limit=5') && read5++ === heldRead) await allowed;
      return { body };
    }, env);
    const read = async (): Promise<string[]> => {
      const { data } = await gateway.ask(READ);
      return data.messages.nodes.map(({ id }: { id: string }) => id);
    };
    const reads = () =>
      gateway.service.lines().filter((line) => line.includes('limit=5'));
    return {
      ...gateway,
      arrive: (id: string) => ids.unshift(id),
      answerHeld,
      read,
      reads,
    };
  }

  const idOf = async (live: Subscription) =>
    (await nextAnswer(live)).data.messageChanged.messageId;

  test('when it has begun shows all that the subscription does not tell', async () => {
    await using service = await startHeldService(NO_POLLS);
    const earlier = service.read();
    await expect.poll(service.reads).toHaveLength(1);
    service.arrive('m1');

    // It begins with m1, and so never tells of it.
    await using live = await subscribe(service.url, MESSAGES);
    const list = service.read();
    await expect.poll(service.reads).toHaveLength(2);
    service.answerHeld();

    expect(await earlier).toEqual(['m0']);
    expect(await list).toEqual(['m1', 'm0']);
    expect(live.results).toEqual([]);
  });

  test('after an event shows what the event said, also if it happened elsewhere', async () => {
    await using service = await startHeldService(FAST);
    await using live = await subscribe(service.url, MESSAGES);
    const earlier = service.read();
    await expect.poll(service.reads).toHaveLength(1);
    service.arrive('m1');

    expect(await idOf(live)).toBe('m1');
    const list = service.read();
    await expect.poll(service.reads).toHaveLength(2);
    service.answerHeld();

    expect(await earlier).toEqual(['m0']);
    expect(await list).toEqual(['m1', 'm0']);
  });

  test('is not joined by the poll that follows a write, if it began before', async () => {
    await using service = await startHeldService({ ...NO_POLLS, MAX_PAGE_SIZE: '5' }, 1);
    await using live = await subscribe(service.url, MESSAGES, {
      variables: { id: 'c1' },
    });
    const earlier = service.read();
    await expect.poll(service.reads).toHaveLength(2);
    service.arrive('m1');
    await service.ask(SEND, { token: 'ben' });

    expect(await idOf(live)).toBe('m1');
    service.answerHeld();
    await earlier;
  });
});

test('subscriptions, polls, changes and events are counted', async () => {
  await using gateway = await startScripted(growingList(), NO_POLLS);
  const live = await subscribe(gateway.url, MESSAGES, { variables: { id: 'c1' } });
  await gateway.ask(SEND);
  await live.next();
  const read = (metric: string) => readMetric(gateway, `gateway_live_${metric}`);

  expect(await read('subscriptions')).toEqual({ '': 1 });
  expect(await read('watches')).toEqual({ '': 1 });
  expect(await read('changes_total')).toEqual({ '{kind="CREATED"}': 1 });
  expect(await read('events_total')).toEqual({ '{codes="none"}': 1 });
  expect((await read('looks_total'))['{outcome="changed"}']).toBe(1);

  await live[Symbol.asyncDispose]();
  await expect.poll(() => read('ends_total')).toEqual({ '{reason="left"}': 1 });
  expect(await read('subscriptions')).toEqual({ '': 0 });
});

test('open streams and WebSockets are counted by transport, until they end', async () => {
  await using gateway = await startScripted(growingList(), {
    CORS_ORIGINS: 'https://app.example',
  });
  const { url } = gateway;
  const counted = () => readMetric(gateway, 'gateway_live_connections');
  const toCounts = (sse: number, multipart: number, websocket: number) => ({
    '{transport="sse"}': sse,
    '{transport="multipart"}': multipart,
    '{transport="websocket"}': websocket,
  });
  expect(await counted()).toEqual(toCounts(0, 0, 0));

  // An answer with one result is no stream, and a refused WebSocket is none.
  await fetch(`${url}/graphql?query={__typename}`, {
    headers: { accept: 'text/event-stream', authorization: 'Bearer t' },
  });
  const refused = openSocket(url, { headers: { origin: 'https://other.example' } });
  await expect(refused).rejects.toThrow('403');
  const events = [await subscribe(url, MESSAGES), await subscribe(url, MESSAGES)];
  const accept = 'multipart/mixed;subscriptionSpec=1.0';
  const parts = await subscribe(url, MESSAGES, { headers: { accept } });
  // It counts whether it subscribes or not, and before its token is known.
  const sockets = [
    await openSocket(url),
    await openSocket(url),
    await openSocket(url, { init: false }),
  ];
  sockets[0]?.subscribe('1', MESSAGES);
  sockets[0]?.subscribe('2', MESSAGES);

  await expect.poll(counted).toEqual(toCounts(2, 1, 3));
  await events[0]?.[Symbol.asyncDispose]();
  sockets[0]?.ws.terminate();
  await expect.poll(counted).toEqual(toCounts(1, 1, 2));
  for (const live of [...events, parts]) await live[Symbol.asyncDispose]();
  for (const { ws } of sockets) ws.close();
  await expect.poll(counted).toEqual(toCounts(0, 0, 0));
});
