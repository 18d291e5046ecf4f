import { expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const MESSAGES_OF_C1 = 'GET /v1/messages?conversation_id=c1&limit=10';

test('mutations make one call each, in order, even if they are equal', async () => {
  await using upstream = await startUpstream({
    'POST /v1/messages': [
      answering({ body: wireMessage('m1'), delayMs: 50 }),
      wireMessage('m2'),
      wireMessage('m3'),
    ],
  });
  await using gateway = await startTestGateway(upstream.url);
  const send = (text: string) =>
    `sendMessage(input: { conversationId: "c1", message: "${text}" }) { message { id } }`;

  const { data } = await gateway.ask(
    `mutation { a: ${send('hi')} b: ${send('hi')} c: ${send('ho')} }`,
  );

  expect(data).toEqual({
    a: { message: { id: 'm1' } },
    b: { message: { id: 'm2' } },
    c: { message: { id: 'm3' } },
  });
  expect(upstream.calls.map(({ form }) => form)).toEqual([
    'conversation_id=c1&message=hi',
    'conversation_id=c1&message=hi',
    'conversation_id=c1&message=ho',
  ]);
  expect(upstream.mostAtOnce).toBe(1);
});

test('each mutation is followed by fresh reads in the same operation', async () => {
  await using upstream = await startUpstream({
    'POST /v1/messages': [wireMessage('m1'), wireMessage('m2')],
    'GET /v1/conversations/c1': [
      wireConversation('c1', { last_active_at: 1 }),
      wireConversation('c1', { last_active_at: 2 }),
    ],
    'GET /v1/messages': [
      wirePage([wireMessage('m1')]),
      wirePage([wireMessage('m2'), wireMessage('m1')]),
    ],
  });
  await using gateway = await startTestGateway(upstream.url);
  const send = `sendMessage(input: { conversationId: "c1", message: "hi" }) {
    message { conversation { lastActiveAt messages { nodes { id } } } }
  }`;

  const { data } = await gateway.ask(`mutation { a: ${send} b: ${send} }`);

  expect([data.a, data.b].map(({ message }) => message.conversation)).toEqual([
    { lastActiveAt: 1, messages: { nodes: [{ id: 'm1' }] } },
    { lastActiveAt: 2, messages: { nodes: [{ id: 'm2' }, { id: 'm1' }] } },
  ]);
  const oneMutation = ['POST /v1/messages', 'GET /v1/conversations/c1', MESSAGES_OF_C1];
  expect(upstream.lines()).toEqual([...oneMutation, ...oneMutation]);
});

test('a link to the result of a mutation makes no call', async () => {
  await using upstream = await startUpstream({
    'PUT /v1/conversations/c1': wireConversation('c1', { is_muted: true }),
    'GET /v1/messages': wirePage([wireMessage('m1')]),
  });
  await using gateway = await startTestGateway(upstream.url);

  const { data } = await gateway.ask(`mutation {
    updateConversation(input: { id: "c1", isMuted: true }) {
      conversation { messages { nodes { conversation { isMuted } } } }
    }
  }`);

  const { nodes } = data.updateConversation.conversation.messages;
  expect(nodes[0].conversation.isMuted).toBe(true);
  expect(upstream.lines()).toEqual(['PUT /v1/conversations/c1', MESSAGES_OF_C1]);
});

test('a mutation runs even if the one before it fails', async () => {
  await using upstream = await startUpstream({
    'DELETE /v1/messages/m1': answering({ status: 403, body: { why: 'not yours' } }),
    'DELETE /v1/messages/m2': answering({ status: 204 }),
  });
  await using gateway = await startTestGateway(upstream.url);

  const answer = await gateway.ask(`mutation {
    a: deleteMessage(input: { id: "m1" }) { deletedMessageId }
    b: deleteMessage(input: { id: "m2" }) { deletedMessageId }
  }`);

  expect(answer.data).toEqual({ a: null, b: { deletedMessageId: 'm2' } });
  expect(codes(answer)).toEqual({ a: 'FORBIDDEN' });
});

test('a deleted object is named by its id and by the nodeId that it was read with', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m%2F1': wireMessage('m/1'),
    'GET /v1/conversations/c1': wireConversation('c1'),
    'DELETE /v1/messages/m%2F1': answering({ status: 204 }),
    'DELETE /v1/conversations/c1': { deleted: true },
  });
  await using gateway = await startTestGateway(upstream.url);
  const read = await gateway.ask(
    '{ message(id: "m/1") { nodeId } conversation(id: "c1") { nodeId } }',
  );

  const { data } = await gateway.ask(`mutation {
    deleteMessage(input: { id: "m/1" }) { deletedMessageId deletedMessageNodeId }
    deleteConversation(input: { id: "c1" }) { deletedConversationId deletedConversationNodeId }
  }`);

  expect(data).toEqual({
    deleteMessage: {
      deletedMessageId: 'm/1',
      deletedMessageNodeId: read.data.message.nodeId,
    },
    deleteConversation: {
      deletedConversationId: 'c1',
      deletedConversationNodeId: read.data.conversation.nodeId,
    },
  });
});
