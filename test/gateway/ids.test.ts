import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

test.each([
  ['a/b', 'a%2Fb'],
  ['?x=1', '%3Fx%3D1'],
  ['#', '%23'],
  ['%2e%2e', '%252e%252e'],
  ['...', '...'],
  ['a b', 'a%20b'],
  ['ü👍', '%C3%BC%F0%9F%91%8D'],
  ['../../admin', '..%2F..%2Fadmin'],
  ['a\\b', 'a%5Cb'],
  [';a=1', '%3Ba%3D1'],
  ['x'.repeat(1024), 'x'.repeat(1024)],
])('the id %j stays one segment of the path', async (id, segment) => {
  await using upstream = await startUpstream(() => ({ body: wireMessage(id) }));
  await using gateway = await startTestGateway(upstream.url);

  const { data } = await gateway.ask('query ($id: ID!) { message(id: $id) { id } }', {
    variables: { id },
  });

  expect(data.message.id).toBe(id);
  expect(upstream.lines()).toEqual([`GET /v1/messages/${segment}`]);
});

test.each([
  '',
  '.',
  '..',
  '\u0000',
  'a\nb',
  '\u007f',
  '\u0085',
  '\ud800',
  'x'.repeat(1025),
  'é'.repeat(513),
])('the id %j is refused in every argument that takes an id', async (id) => {
  await using upstream = await startUpstream(() => ({ body: wirePage([]) }));
  await using gateway = await startTestGateway(upstream.url);

  const read = await gateway.ask(
    `query ($id: ID!) {
      message(id: $id) { id }
      conversation(id: $id) { id }
      messages(conversationId: $id) { nodes { id } }
      conversations(groupId: $id) { nodes { id } }
    }`,
    { variables: { id } },
  );
  const written = await gateway.ask(
    `mutation ($id: ID!) {
      sendMessage(input: { conversationId: $id, message: "m" }) { message { id } }
      updateMessage(input: { id: $id, message: "m" }) { message { id } }
      deleteMessage(input: { id: $id }) { deletedMessageId }
      createConversation(input: { contactId: $id }) { conversation { id } }
      group: createConversation(input: { contactId: "u", groupId: $id }) { conversation { id } }
      updateConversation(input: { id: $id, isMuted: true }) { conversation { id } }
      pin: updateConversation(input: { id: "c", pinnedMessageId: $id }) { conversation { id } }
      deleteConversation(input: { id: $id }) { deletedConversationId }
    }`,
    { variables: { id } },
  );

  for (const { data, errors } of [read, written]) {
    expect(new Set(Object.values(data))).toEqual(new Set([null]));
    expect(errors).toHaveLength(Object.keys(data).length);
    expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(
      new Set(['BAD_USER_INPUT']),
    );
  }
  expect(upstream.calls).toEqual([]);
});

test('a refused id leaves the other fields their data', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);

  const answer = await gateway.ask(
    '{ bad: message(id: "..") { id } good: message(id: "m1") { id } }',
  );

  expect(answer.data).toEqual({ bad: null, good: { id: 'm1' } });
  expect(codes(answer)).toEqual({ bad: 'BAD_USER_INPUT' });
});

test('an id from the service stays one segment of the path too, or its link is null', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1', { conversation_id: '..' }),
    'GET /v1/messages/m2': wireMessage('m2', { conversation_id: 'a/../../x' }),
    'GET /v1/conversations/a%2F..%2F..%2Fx': wireConversation('a/../../x'),
  });
  await using gateway = await startTestGateway(upstream.url);

  const answer = await gateway.ask(`{
    a: message(id: "m1") { conversation { isMuted } }
    b: message(id: "m2") { conversation { isMuted } }
  }`);

  expect(answer.data).toEqual({
    a: { conversation: null },
    b: { conversation: { isMuted: false } },
  });
  expect(Object.keys(codes(answer))).toEqual(['a.conversation']);
  expect(upstream.lines().sort()).toEqual([
    'GET /v1/conversations/a%2F..%2F..%2Fx',
    'GET /v1/messages/m1',
    'GET /v1/messages/m2',
  ]);
});

describe('an object that the service answers under another spelling of its id', () => {
  const pageOfAbc = wirePage([wireMessage('m1', { conversation_id: 'abc-1' })]);

  test('is known by both spellings', async () => {
    await using upstream = await startUpstream({
      'GET /v1/conversations/ABC-1': wireConversation('abc-1', {
        pinned_message_id: 'p',
      }),
      'GET /v1/messages/p': wireMessage('p', { conversation_id: 'abc-1' }),
      'GET /v1/messages': pageOfAbc,
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(
      `{ conversation(id: "ABC-1") {
           id
           messages { nodes { conversation { isMuted } } }
           pinnedMessage { conversation { isMuted } }
         } }`,
    );

    expect(errors).toBeUndefined();
    expect(data.conversation).toEqual({
      id: 'abc-1',
      messages: { nodes: [{ conversation: { isMuted: false } }] },
      pinnedMessage: { conversation: { isMuted: false } },
    });
    expect(upstream.lines().toSorted()).toEqual([
      'GET /v1/conversations/ABC-1',
      'GET /v1/messages/p',
      'GET /v1/messages?conversation_id=abc-1&limit=10',
    ]);
  });

  test('does not replace what was read under the first spelling', async () => {
    await using upstream = await startUpstream({
      'GET /v1/conversations/abc-1': wireConversation('abc-1', { is_muted: true }),
      'GET /v1/conversations/ABC-1': wireConversation('abc-1', { is_muted: false }),
      'GET /v1/messages': answering({ body: pageOfAbc, delayMs: 100 }),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data } = await gateway.ask(
      `{ a: conversation(id: "abc-1") { isMuted }
         b: conversation(id: "ABC-1") { isMuted }
         messages(conversationId: "abc-1") { nodes { conversation { isMuted } } } }`,
    );

    expect(data).toEqual({
      a: { isMuted: true },
      b: { isMuted: false },
      messages: { nodes: [{ conversation: { isMuted: true } }] },
    });
    expect(upstream.calls).toHaveLength(3);
  });
});
