import { expect, test } from 'vitest';
import { askOnce, startScripted } from '../support/gateway.ts';

const EXPLAIN = { extensions: { explain: true } };

type Options = Parameters<typeof askOnce>[2];

const explain = async (query: string, options: Options = EXPLAIN) => {
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

test.each<[what: string, query: string, explained: object, options?: Options]>([
  [
    'its calls as a tree',
    `{
      message(id: "m1") { conversation { isMuted } }
      conversations(first: 3) { nodes {
        pinnedMessage { message contact { username } }
        messages(first: 2) { nodes { id conversation { isMuted pinnedMessage { message } } } }
      } }
    }`,
    {
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
    },
  ],
  [
    'what is below the object that an argument names, which waits for the list that leads back to it',
    '{ messages(conversationId: "c1", first: 1) { nodes { conversation { pinnedMessage { message } } } } }',
    {
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
    },
  ],
  [
    'a page that may need more calls than usual, up to what an operation may make',
    '{ messages(last: 100) { nodes { id } } }',
    { least: 1, usual: 1, most: 7, calls: [call('messages', 1, 1, [], 7)] },
    { ...EXPLAIN, env: { MAX_REST_CALLS: '7' } },
  ],
  [
    'a mutation, which is not carried out',
    `mutation {
      a: sendMessage(input: { conversationId: "c1", message: "x" }) { message { conversation { isMuted } } }
      b: sendMessage(input: { conversationId: "c1", message: "x" }) { message { id } }
      deleteMessage(input: { id: "m1" }) { deletedMessageId }
      updateConversation(input: { id: "c1", archivedAtIso: "2026-01-01T00:00:00Z" }) { clientMutationId }
    }`,
    {
      least: 3,
      usual: 5,
      most: 7,
      calls: [
        call('sendMessage', 1, 2, [call('sendMessage.message.conversation', 0, 1)]),
        call('deleteMessage', 1, 1, [], 2),
        call('updateConversation', 1, 1, [], 2),
      ],
    },
  ],
  [
    'no calls, also for tools without `extensions`, which ask by a header',
    '{ __typename }',
    { least: 0, usual: 0, most: 0, calls: [] },
    { headers: { 'x-extensions': 'explain' } },
  ],
])(
  'an operation is explained, and makes no call: %s',
  async (_, query, explained, options) => {
    expect(await explain(query, options)).toEqual(explained);
  },
);

test.each([
  ['newest', 3],
  ['auto', 22],
])(
  'a mutation with a key may make no call, or search for what it has written, with LIST_ORDER=%s',
  async (order, most) => {
    const query =
      'mutation { sendMessage(input: { conversationId: "c1", message: "x", clientMutationId: "k" }) { message { id } } }';
    const env = { LIST_ORDER: order };

    expect(await explain(query, { ...EXPLAIN, env })).toMatchObject({
      calls: [call('sendMessage', 0, 1, [], most)],
    });
  },
);

test('a mutation that is repeated is explained for its own variables, with a key and without one', async () => {
  await using gateway = await startScripted({}, { LIST_ORDER: 'newest' });
  const query =
    'mutation($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }';
  const most: unknown[] = [];

  for (const clientMutationId of [undefined, null, undefined, 'k', undefined, 'k2']) {
    const input = { conversationId: 'c1', message: 'x', clientMutationId };
    const { extensions } = await gateway.ask(query, { ...EXPLAIN, variables: { input } });
    most.push(extensions?.explain);
  }

  expect(most).toMatchObject([1, 1, 1, 3, 1, 3].map((calls) => ({ most: calls })));
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
    (await explain(query, { ...EXPLAIN, env: { LIST_ORDER } })).most;

  expect([await mostOf('newest'), await mostOf('oldest'), await mostOf('auto')]).toEqual([
    1, 20, 20,
  ]);
});
