import { describe, expect, test } from 'vitest';
import { askOnce } from '../support/gateway.ts';
import { answering } from '../support/upstream.ts';
import { nodeIdOf, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

// security: id-in-path
test.each([
  ['?x=1', '%3Fx%3D1'],
  ['%2e%2e', '%252e%252e'],
  ['...', '...'],
  ['ü👍', '%C3%BC%F0%9F%91%8D'],
  ['../../admin', '..%2F..%2Fadmin'],
  ['a\\b', 'a%5Cb'],
  [';a=1 #', '%3Ba%3D1%20%23'],
  ['x'.repeat(1024), 'x'.repeat(1024)],
])('the id %j stays one segment of the path', async (id, segment) => {
  const { data, lines } = await askOnce(
    'query ($id: ID!) { message(id: $id) { id } }',
    answering({ body: wireMessage(id) }),
    { variables: { id } },
  );

  expect(data.message.id).toBe(id);
  expect(lines).toEqual([`GET /v1/messages/${segment}`]);
});

const READS = `query ($id: ID!) {
  message(id: $id) { id }
  conversation(id: $id) { id }
  messages(conversationId: $id) { nodes { id } }
  conversations(groupId: $id) { nodes { id } }
}`;
const WRITES = `mutation ($id: ID!) {
  sendMessage(input: { conversationId: $id, message: "m" }) { message { id } }
  updateMessage(input: { id: $id, message: "m" }) { message { id } }
  deleteMessage(input: { id: $id }) { deletedMessageId }
  createConversation(input: { contactId: $id }) { conversation { id } }
  group: createConversation(input: { contactId: "u", groupId: $id }) { conversation { id } }
  updateConversation(input: { id: $id, isMuted: true }) { conversation { id } }
  pin: updateConversation(input: { id: "c", pinnedMessageId: $id }) { conversation { id } }
  deleteConversation(input: { id: $id }) { deletedConversationId }
}`;

// security: id-in-path
test.each([
  '',
  '.',
  '..',
  '\u0000',
  'a\nb',
  '\u0085',
  '\ud800',
  'x'.repeat(1025),
  'é'.repeat(513),
])('the id %j is refused in every argument that takes an id', async (id) => {
  for (const query of [READS, WRITES]) {
    const { data, codes, calls } = await askOnce(query, {}, { variables: { id } });

    const fields = Object.keys(data);
    expect(Object.values(data)).toEqual(fields.map(() => null));
    expect(codes).toEqual(
      Object.fromEntries(fields.map((field) => [field, 'BAD_USER_INPUT'])),
    );
    expect(calls).toEqual([]);
  }
});

test('a refused id leaves the other fields their data', async () => {
  const { data, codes } = await askOnce(
    '{ bad: message(id: "..") { id } good: message(id: "m1") { id } }',
    { 'GET /v1/messages/m1': wireMessage('m1') },
  );

  expect(data).toEqual({ bad: null, good: { id: 'm1' } });
  expect(codes).toEqual({ bad: 'BAD_USER_INPUT' });
});

// security: forged-node-id
test('the id in a forged nodeId stays one segment of the path, or is refused', async () => {
  const ids = ['../../admin', 'a?limit=1#', '..', '\r\nX-Evil: 1'].map((id) =>
    nodeIdOf('Message', id),
  );

  const { codes, lines } = await askOnce(
    'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on Message { message } } }',
    answering({ body: wireMessage('m1') }),
    { variables: { ids } },
  );

  expect(codes).toEqual({ 'nodes.2': 'BAD_USER_INPUT', 'nodes.3': 'BAD_USER_INPUT' });
  expect(lines.sort()).toEqual([
    'GET /v1/messages/..%2F..%2Fadmin',
    'GET /v1/messages/a%3Flimit%3D1%23',
  ]);
});

// security: id-in-path
test('an id from the service stays one segment of the path too, or its link is null', async () => {
  const { data, codes, lines } = await askOnce(
    `{ a: message(id: "m1") { conversation { isMuted } }
       b: message(id: "m2") { conversation { isMuted } } }`,
    {
      'GET /v1/messages/m1': wireMessage('m1', { conversation_id: '..' }),
      'GET /v1/messages/m2': wireMessage('m2', { conversation_id: 'a/../../x' }),
      'GET /v1/conversations/a%2F..%2F..%2Fx': wireConversation('a/../../x'),
    },
  );

  expect(data).toEqual({
    a: { conversation: null },
    b: { conversation: { isMuted: false } },
  });
  expect(Object.keys(codes)).toEqual(['a.conversation']);
  expect(lines.sort()).toEqual([
    'GET /v1/conversations/a%2F..%2F..%2Fx',
    'GET /v1/messages/m1',
    'GET /v1/messages/m2',
  ]);
});

describe('an object that the service answers under another spelling of its id', () => {
  const pageOfAbc = wirePage([wireMessage('m1', { conversation_id: 'abc-1' })]);

  test('is known by both spellings', async () => {
    const { data, errors, lines } = await askOnce(
      `{ conversation(id: "ABC-1") {
           id
           messages { nodes { conversation { isMuted } } }
           pinnedMessage { conversation { isMuted } }
         } }`,
      {
        'GET /v1/conversations/ABC-1': wireConversation('abc-1', {
          pinned_message_id: 'p',
        }),
        'GET /v1/messages/p': wireMessage('p', { conversation_id: 'abc-1' }),
        'GET /v1/messages': pageOfAbc,
      },
    );

    expect(errors).toBeUndefined();
    expect(data.conversation).toEqual({
      id: 'abc-1',
      messages: { nodes: [{ conversation: { isMuted: false } }] },
      pinnedMessage: { conversation: { isMuted: false } },
    });
    expect(lines.toSorted()).toEqual([
      'GET /v1/conversations/ABC-1',
      'GET /v1/messages/p',
      'GET /v1/messages?conversation_id=abc-1&limit=10',
    ]);
  });

  test('does not replace what was read under the first spelling', async () => {
    const { data, calls } = await askOnce(
      `{ a: conversation(id: "abc-1") { isMuted }
         b: conversation(id: "ABC-1") { isMuted }
         messages(conversationId: "abc-1") { nodes { conversation { isMuted } } } }`,
      {
        'GET /v1/conversations/abc-1': wireConversation('abc-1', { is_muted: true }),
        'GET /v1/conversations/ABC-1': wireConversation('abc-1', { is_muted: false }),
        'GET /v1/messages': answering({ body: pageOfAbc, delayMs: 100 }),
      },
    );

    expect(data).toEqual({
      a: { isMuted: true },
      b: { isMuted: false },
      messages: { nodes: [{ conversation: { isMuted: true } }] },
    });
    expect(calls).toHaveLength(3);
  });
});
