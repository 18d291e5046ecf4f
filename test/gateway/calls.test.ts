import { expect, test } from 'vitest';
import { askOnce, startScripted } from '../support/gateway.ts';
import { answering } from '../support/upstream.ts';
import { nodeIdOf, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const MESSAGE = 'GET /v1/messages/m1';
const CONVERSATION = 'GET /v1/conversations/c1';
const CONVERSATIONS = 'GET /v1/conversations?limit=10';
const MESSAGES_OF_C1 = 'GET /v1/messages?conversation_id=c1&limit=10';

const wireC1 = wireConversation('c1', { is_muted: true, pinned_message_id: 'm2' });
const SERVICE = {
  [MESSAGE]: wireMessage('m1'),
  [CONVERSATION]: wireC1,
  'GET /v1/messages': wirePage([wireMessage('m1'), wireMessage('m2')]),
  'GET /v1/conversations': wirePage([wireC1]),
};

const NODE_ID_OF_C1 = nodeIdOf('Conversation', 'c1');

const both = <T>(node: T): { nodes: T[] } => ({ nodes: [node, node] });

test.each<[does: string, query: string, data: object, calls: string[]]>([
  [
    'fetches an object once that it asks for twice',
    '{ a: message(id: "m1") { id } b: message(id: "m1") { message } }',
    { a: { id: 'm1' }, b: { message: 'text m1' } },
    [MESSAGE],
  ],
  [
    'asks once for an unknown id, too',
    '{ a: conversation(id: "c9") { id } b: conversation(id: "c9") { isMuted } }',
    { a: null, b: null },
    ['GET /v1/conversations/c9'],
  ],
  [
    'makes no call for the ids of a link, also under an alias, in fragments and twice',
    `fragment F on Conversation { id }
     { message(id: "m1") {
       conversation { __typename key: id } conversation { ...F ... on Node { nodeId } }
     } }`,
    {
      message: {
        conversation: {
          __typename: 'Conversation',
          key: 'c1',
          id: 'c1',
          nodeId: NODE_ID_OF_C1,
        },
      },
    },
    [MESSAGE],
  ],
  [
    'makes no call for fields of a link that @skip and @include remove',
    `query ($yes: Boolean = true) { message(id: "m1") {
      conversation { id isMuted @skip(if: $yes) ... @include(if: false) { isPinned } }
    } }`,
    { message: { conversation: { id: 'c1' } } },
    [MESSAGE],
  ],
  [
    'makes no call for the ids of a pinned message',
    '{ conversation(id: "c1") { pinnedMessage { id nodeId } } }',
    { conversation: { pinnedMessage: { id: 'm2', nodeId: nodeIdOf('Message', 'm2') } } },
    [CONVERSATION],
  ],
  [
    'makes a call for a link if one of its selections needs more than ids',
    '{ message(id: "m1") { conversation { id } ... on Message { conversation { isMuted } } } }',
    { message: { conversation: { id: 'c1', isMuted: true } } },
    [MESSAGE, CONVERSATION],
  ],
  [
    'links back to an object it has fetched, without a call',
    '{ conversation(id: "c1") { messages { nodes { conversation { isMuted } } } } }',
    { conversation: { messages: both({ conversation: { isMuted: true } }) } },
    [CONVERSATION, MESSAGES_OF_C1],
  ],
  [
    'does not fetch by id an object that it has seen in a list',
    `{ conversations { nodes { messages { nodes {
      conversation { isMuted pinnedMessage { message } }
    } } } } }`,
    {
      conversations: {
        nodes: [
          {
            messages: both({
              conversation: { isMuted: true, pinnedMessage: { message: 'text m2' } },
            }),
          },
        ],
      },
    },
    [CONVERSATIONS, MESSAGES_OF_C1],
  ],
  [
    'fetches the same page once, on whatever level it asks for it',
    `{ conversation(id: "c1") {
      a: messages { nodes { conversation { messages { nodes { id } } } } }
      b: messages(first: 10) { nodes { message } }
    } }`,
    {
      conversation: {
        a: both({ conversation: { messages: { nodes: [{ id: 'm1' }, { id: 'm2' }] } } }),
        b: { nodes: [{ message: 'text m1' }, { message: 'text m2' }] },
      },
    },
    [CONVERSATION, MESSAGES_OF_C1],
  ],
])('an operation %s', async (_, query, data, lines) => {
  const answer = await askOnce(query, SERVICE);

  expect(answer.errors).toBeUndefined();
  expect(answer.data).toEqual(data);
  expect(answer.calls).toEqual(
    lines.map((line) => ({ line, form: '', token: 'Bearer ann-token' })),
  );
});

test('the children of fifty parents are fetched at the same time, over one pool', async () => {
  const parents = Array.from({ length: 50 }, (_, i) => wireConversation(`c${i}`));
  await using gateway = await startScripted({
    'GET /v1/conversations': wirePage(parents),
    'GET /v1/messages': answering({ body: wirePage([]), together: 50 }),
  });
  const query =
    '{ conversations(first: 50) { nodes { messages(first: 1) { nodes { id } } } } }';

  // Of a token that the service has not accepted yet, fewer calls run at once.
  await gateway.ask('{ conversations(first: 50) { nodes { id } } }');
  await gateway.ask(query);
  await gateway.ask(query);

  expect(gateway.service.calls).toHaveLength(103);
  expect(gateway.service.mostAtOnce).toBe(50);
  expect(gateway.service.connections).toBeLessThanOrEqual(64);
});
