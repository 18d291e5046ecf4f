import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { FAST, LONGEST, MESSAGES, nextAnswer, startLiveWorld } from '../support/live.ts';
import { subscribe } from '../support/subscribe.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const CONVERSATIONS =
  'subscription { conversationChanged { kind conversationId conversationNodeId conversation { id isMuted } } }';
const toNodeId = (text: string) => Buffer.from(text).toString('base64url');

describe('a subscription to messages', () => {
  test('tells what is sent, changed and deleted through the gateway', async () => {
    await using world = await startLiveWorld({}, { LIVE_POLL_MS: '600000' });
    await using live = await world.subscribe(MESSAGES);
    const sent = await world.ask(
      `mutation { sendMessage(input: { conversationId: "${LONGEST}", message: "one" }) { message { id } } }`,
    );
    const { id } = sent.data.sendMessage.message;
    const event = {
      messageId: id,
      messageNodeId: toNodeId(`Message:${id}`),
      conversationId: LONGEST,
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
    await using world = await startLiveWorld();
    await using live = await world.subscribe(MESSAGES);
    const form = (text: string) => `conversation_id=${LONGEST}&message=${text}`;
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
  await using world = await startLiveWorld({}, { LIVE_POLL_MS: '600000' });
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
    `mutation { sendMessage(input: { conversationId: "${LONGEST}", message: "m" }) { message { id } } }`,
  );
  expect(await kinds()).toEqual(['UPDATED', LONGEST]);
  await world.ask(
    `mutation { deleteConversation(input: { id: "${id}" }) { deletedConversationId } }`,
  );
  expect(await kinds()).toEqual(['DELETED', id]);
});

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
    const first = await nextAnswer(live);
    sent = 2;
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

    const event = await nextAnswer(live);

    expect(event.data.messageChanged).toMatchObject({ messageId: 'm2', message: null });
    expect(codes(event)).toEqual({
      'messageChanged.message': 'UPSTREAM_INVALID_RESPONSE',
    });
  });
});

test('a client that accepts JSON and events gets a query as JSON, and a subscription as events', async () => {
  await using upstream = await startUpstream(() => ({
    body: wirePage([wireMessage('m0')]),
  }));
  await using gateway = await startTestGateway(upstream.url);
  const type = 'application/graphql-response+json';
  const headers = { accept: `${type}, application/json, text/event-stream` };

  const read = await gateway.ask('{ messages { nodes { id } } }', { headers });
  await using live = await subscribe(gateway.url, MESSAGES, { headers });

  expect(read.data.messages.nodes).toEqual([{ id: 'm0' }]);
  expect(read.headers.get('content-type')).toContain(type);
  expect(live.headers.get('content-type')).toContain('text/event-stream');
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
