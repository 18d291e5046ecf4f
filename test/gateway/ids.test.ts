import { expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
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

const BAD_IDS = [
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
];

test.each(BAD_IDS)('the id %j is refused wherever an id is taken', async (id) => {
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

test('a bad id costs its own field and no other', async () => {
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

test('an id the service itself sends cannot climb out of the path either', async () => {
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
