import { expect, test } from 'vitest';
import { type AskOptions, askOnce, startScripted } from '../support/gateway.ts';

const EXPLAIN = { extensions: { explain: true } };

const explain = async (query: string, options: AskOptions = EXPLAIN) => {
  const { status, data, errors, extensions, lines } = await askOnce(query, {}, options);
  expect(errors).toBeUndefined();
  expect(lines).toEqual([]);
  expect({ status, data }).toEqual({ status: 200, data: null });
  return extensions.explain;
};

const call = (
  field: string,
  least: number,
  usual: number,
  then: object[] = [],
  most = usual,
) => ({
  field,
  least,
  usual,
  most,
  then,
});

test('the calls of an operation are explained as a tree, and none is made', async () => {
  const query = `{
    message(id: "m1") { conversation { isMuted } }
    conversations(first: 3) { nodes {
      pinnedMessage { message contact { username } }
      messages(first: 2) { nodes { id conversation { isMuted pinnedMessage { message } } } }
    } }
  }`;

  expect(await explain(query)).toEqual({
    least: 2,
    usual: 9,
    most: 9,
    calls: [
      call('message', 1, 1, [call('message.conversation', 0, 1)]),
      call('conversations', 1, 1, [
        call('conversations.pinnedMessage', 0, 3),
        call('conversations.messages', 0, 3),
      ]),
    ],
  });
});

test('what is below the object that an argument names waits for the list that leads back to it', async () => {
  const query =
    '{ messages(conversationId: "c1", first: 1) { nodes { conversation { pinnedMessage { message } } } } }';

  expect(await explain(query)).toEqual({
    least: 1,
    usual: 3,
    most: 3,
    calls: [
      call('messages', 1, 1, [
        call('messages.conversation', 0, 1, [
          call('messages.conversation.pinnedMessage', 0, 1),
        ]),
      ]),
    ],
  });
});

test('a page may need more calls than usual, up to what an operation may make', async () => {
  const explained = await explain('{ messages(last: 100) { nodes { id } } }', {
    ...EXPLAIN,
    env: { MAX_REST_CALLS: '7' },
  } as AskOptions);

  expect(explained).toEqual({
    least: 1,
    usual: 1,
    most: 7,
    calls: [call('messages', 1, 1, [], 7)],
  });
});

test('a mutation is explained and not carried out', async () => {
  const query = `mutation {
    a: sendMessage(input: { conversationId: "c1", message: "x" }) { message { conversation { isMuted } } }
    b: sendMessage(input: { conversationId: "c1", message: "x" }) { message { id } }
    deleteMessage(input: { id: "m1" }) { deletedMessageId }
    updateConversation(input: { id: "c1", archivedAtIso: "2026-01-01T00:00:00Z" }) { clientMutationId }
  }`;

  expect(await explain(query)).toEqual({
    least: 3,
    usual: 5,
    most: 7,
    calls: [
      call('sendMessage', 1, 2, [call('sendMessage.message.conversation', 0, 1)]),
      call('deleteMessage', 1, 1, [], 2),
      call('updateConversation', 1, 1, [], 2),
    ],
  });
});

test.each([
  ['newest', 3],
  ['auto', 22],
])(
  'a mutation with a key may make no call, or search for what it has written, with LIST_ORDER=%s',
  async (order, most) => {
    const query =
      'mutation { sendMessage(input: { conversationId: "c1", message: "x", clientMutationId: "k" }) { message { id } } }';
    const env = { LIST_ORDER: order };

    expect(await explain(query, { ...EXPLAIN, env } as AskOptions)).toMatchObject({
      calls: [call('sendMessage', 0, 1, [], most)],
    });
  },
);

test('an operation without calls has none, and tools without `extensions` ask by a header', async () => {
  const headers = { 'x-extensions': 'explain' };

  expect(await explain('{ __typename }', { headers })).toEqual({
    least: 0,
    usual: 0,
    most: 0,
    calls: [],
  });
});

test('it is the same the first, second and third time', async () => {
  await using gateway = await startScripted({});
  const ask = () => gateway.ask('{ message(id: "m1") { id } }', EXPLAIN);

  const [first, second, third] = [await ask(), await ask(), await ask()];

  expect(second.extensions).toEqual(first.extensions);
  expect(third.extensions).toEqual(first.extensions);
  expect(gateway.service.calls).toEqual([]);
  expect((await gateway.ask('{ message(id: "m1") { id } }')).data).toEqual({
    message: null,
  });
});

test('an operation that is refused is not explained', async () => {
  const { error, extensions, lines } = await askOnce(
    '{ conversations(first: 100) { nodes { messages { nodes { id } } } } }',
    {},
    { ...EXPLAIN, env: { MAX_REST_CALLS: '100' } },
  );

  expect(error?.extensions.code).toBe('OPERATION_TOO_COSTLY');
  expect(extensions).toBeUndefined();
  expect(lines).toEqual([]);
});

test('a subscription is explained and does not begin', async () => {
  await using gateway = await startScripted({});
  const query = 'subscription { conversationChanged { kind } }';

  const { data, extensions } = await gateway.ask(query, {
    ...EXPLAIN,
    headers: { accept: 'text/event-stream, application/json' },
  });

  expect({ data, calls: gateway.service.calls }).toEqual({ data: null, calls: [] });
  expect(extensions.explain.calls).toEqual([]);
});

test('with LIST_ORDER, the newest page is as sure as one at the head, or as far as the end', async () => {
  const query = '{ messages(first: 10, order: NEWEST_FIRST) { nodes { id } } }';
  const mostOf = async (LIST_ORDER: string) =>
    (await explain(query, { ...EXPLAIN, env: { LIST_ORDER } } as AskOptions)).most;

  expect([await mostOf('newest'), await mostOf('oldest'), await mostOf('auto')]).toEqual([
    1, 20, 20,
  ]);
});
