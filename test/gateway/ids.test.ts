import { describe, expect, test } from 'vitest';
import { askOnce } from '../support/gateway.ts';
import { answering } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

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
])('the id %j is refused in every argument', async (id) => {
  const { data, codes, calls } = await askOnce(READS, {}, { variables: { id } });

  const fields = ['message', 'conversation', 'messages', 'conversations'];
  expect(Object.values(data)).toEqual(fields.map(() => null));
  expect(Object.values(codes)).toEqual(fields.map(() => 'BAD_USER_INPUT'));
  expect(calls).toEqual([]);
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
