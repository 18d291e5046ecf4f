import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const MESSAGE = 'GET /v1/messages/m1';
const CONVERSATION = 'GET /v1/conversations/c1';
const MESSAGES_OF_C1 = 'GET /v1/messages?conversation_id=c1&limit=10';

const wireC1 = wireConversation('c1', { is_muted: true, pinned_message_id: 'm2' });
const SERVICE = {
  [MESSAGE]: wireMessage('m1'),
  [CONVERSATION]: wireC1,
  'GET /v1/messages': wirePage([wireMessage('m1'), wireMessage('m2')]),
  'GET /v1/conversations': wirePage([wireC1]),
};

const toNodeId = (text: string): string => Buffer.from(text).toString('base64url');
const NODE_ID_OF_C1 = toNodeId('Conversation:c1');

const both = <T>(node: T): { nodes: T[] } => ({ nodes: [node, node] });

/** What an operation does: its query, its data and the calls to the service, in order. */
const OPERATIONS = {
  'fetches an object once that it asks for twice': {
    query: '{ a: message(id: "m1") { id } b: message(id: "m1") { message } }',
    data: { a: { id: 'm1' }, b: { message: 'text m1' } },
    calls: [MESSAGE],
  },
  'asks once for an unknown id, too': {
    query: '{ a: conversation(id: "c9") { id } b: conversation(id: "c9") { isMuted } }',
    data: { a: null, b: null },
    calls: ['GET /v1/conversations/c9'],
  },
  'makes no call for the id of a link': {
    query: '{ message(id: "m1") { conversation { id } } }',
    data: { message: { conversation: { id: 'c1' } } },
    calls: [MESSAGE],
  },
  'makes no call for a link if it selects only free fields': {
    query: '{ message(id: "m1") { conversation { __typename id nodeId } } }',
    data: {
      message: {
        conversation: { __typename: 'Conversation', id: 'c1', nodeId: NODE_ID_OF_C1 },
      },
    },
    calls: [MESSAGE],
  },
  'makes no call for the id of a link under an alias': {
    query: '{ message(id: "m1") { conversation { key: id } } }',
    data: { message: { conversation: { key: 'c1' } } },
    calls: [MESSAGE],
  },
  'makes no call for the ids of a link in fragments': {
    query: `fragment F on Conversation { id }
      { message(id: "m1") { conversation { ...F ... on Node { nodeId } } } }`,
    data: { message: { conversation: { id: 'c1', nodeId: NODE_ID_OF_C1 } } },
    calls: [MESSAGE],
  },
  'makes no call for fields of a link that @skip and @include remove': {
    query: `query ($yes: Boolean = true) { message(id: "m1") {
      conversation { id isMuted @skip(if: $yes) ... @include(if: false) { isPinned } }
    } }`,
    data: { message: { conversation: { id: 'c1' } } },
    calls: [MESSAGE],
  },
  'makes no call for the ids of a link selected twice': {
    query: '{ message(id: "m1") { conversation { id } conversation { nodeId } } }',
    data: { message: { conversation: { id: 'c1', nodeId: NODE_ID_OF_C1 } } },
    calls: [MESSAGE],
  },
  'makes no call for the ids of a pinned message': {
    query: '{ conversation(id: "c1") { pinnedMessage { id nodeId } } }',
    data: {
      conversation: { pinnedMessage: { id: 'm2', nodeId: toNodeId('Message:m2') } },
    },
    calls: [CONVERSATION],
  },
  'makes a call for a link if one of its selections needs more than ids': {
    query: `{ message(id: "m1") {
      conversation { id } ... on Message { conversation { isMuted } }
    } }`,
    data: { message: { conversation: { id: 'c1', isMuted: true } } },
    calls: [MESSAGE, CONVERSATION],
  },
  'links back to an object it has fetched, without a call': {
    query: `{ conversation(id: "c1") {
      messages { nodes { conversation { isMuted createdAt } } }
    } }`,
    data: {
      conversation: {
        messages: both({ conversation: { isMuted: true, createdAt: 1690000000 } }),
      },
    },
    calls: [CONVERSATION, MESSAGES_OF_C1],
  },
  'links back to an object of a list, without a call': {
    query:
      '{ conversations { nodes { messages { nodes { conversation { isMuted } } } } } }',
    data: {
      conversations: {
        nodes: [{ messages: both({ conversation: { isMuted: true } }) }],
      },
    },
    calls: ['GET /v1/conversations?limit=10', MESSAGES_OF_C1],
  },
  'does not fetch by id an object that it has seen in a list': {
    query: `{ conversations { nodes {
      messages { nodes { conversation { pinnedMessage { message } } } }
    } } }`,
    data: {
      conversations: {
        nodes: [
          {
            messages: both({
              conversation: { pinnedMessage: { message: 'text m2' } },
            }),
          },
        ],
      },
    },
    calls: ['GET /v1/conversations?limit=10', MESSAGES_OF_C1],
  },
  'fetches the same page once, on whatever level it asks for it': {
    query: `{ conversation(id: "c1") {
      a: messages { nodes { conversation { messages { nodes { id } } } } }
      b: messages(first: 10) { nodes { message } }
    } }`,
    data: {
      conversation: {
        a: both({
          conversation: { messages: { nodes: [{ id: 'm1' }, { id: 'm2' }] } },
        }),
        b: { nodes: [{ message: 'text m1' }, { message: 'text m2' }] },
      },
    },
    calls: [CONVERSATION, MESSAGES_OF_C1],
  },
};

test.each(Object.entries(OPERATIONS))(
  'an operation %s',
  async (_does, { query, data, calls }) => {
    await using upstream = await startUpstream(SERVICE);
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask(query);

    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual(data);
    expect(upstream.calls).toEqual(
      calls.map((line) => ({ line, form: '', token: 'Bearer ann-token' })),
    );
  },
);

test('the children of fifty parents are fetched at the same time, over one pool', async () => {
  const parents = Array.from({ length: 50 }, (_, i) => wireConversation(`c${i}`));
  await using upstream = await startUpstream({
    'GET /v1/conversations': wirePage(parents),
    'GET /v1/messages': answering({ body: wirePage([]), delayMs: 100 }),
  });
  await using gateway = await startTestGateway(upstream.url);
  const query =
    '{ conversations(first: 50) { nodes { messages(first: 1) { nodes { id } } } } }';

  await gateway.ask(query);
  await gateway.ask(query);

  expect(upstream.calls).toHaveLength(102);
  expect(upstream.mostAtOnce).toBe(50);
  expect(upstream.connections).toBeLessThanOrEqual(64);
});

test('an operation never opens more connections than REST_CONNECTIONS', async () => {
  await using upstream = await startUpstream(({ line }) => ({
    body: wireMessage(line.split('/').at(-1) ?? ''),
    delayMs: 5,
  }));
  await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '3' });
  const fields = Array.from(
    { length: 20 },
    (_, i) => `f${i}: message(id: "m${i}") { id message }`,
  );

  const { data } = await gateway.ask(`{ ${fields.join(' ')} }`);

  expect(data.f19.id).toBe('m19');
  expect(upstream.mostAtOnce).toBe(3);
  expect(upstream.connections).toBe(3);
});
