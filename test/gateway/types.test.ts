import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../src/resolvers/schema.ts';
import { type AskOptions, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const MESSAGE_FIELDS = `
  __typename id nodeId conversationId message attachments
  readAt readAtIso createdAt createdAtIso updatedAt updatedAtIso
  conversation { id }
  contact {
    __typename id username phoneNumber avatarUrl
    lastActiveAt lastActiveAtIso createdAt createdAtIso
  }
  reactions { __typename name usernames count }
`;
const CONVERSATION_FIELDS = `
  __typename id nodeId contactId groupId pinnedMessageId isPinned isMuted
  lastActiveAt lastActiveAtIso lastOpenedAt lastOpenedAtIso
  createdAt createdAtIso archivedAt archivedAtIso
  group { __typename id }
  pinnedMessage { id }
  messages { nodes { id } }
`;
/** The fields of a type in the schema, so that no new one is forgotten here. */
const fieldsOf = (name: string): string[] => {
  const type = createSchema().getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is not an object type`);
  return ['__typename', ...Object.keys(type.getFields())].toSorted();
};
const keysOf = (object: object): string[] => Object.keys(object).toSorted();

/** Sends an operation through a gateway to a service with these responses; `lines` are the calls. */
async function ask(
  responses: Record<string, unknown>,
  query: string,
  options?: AskOptions,
) {
  await using upstream = await startUpstream(responses);
  await using gateway = await startTestGateway(upstream.url, {
    TIMESTAMP_UNIT: 'seconds',
  });
  return { ...(await gateway.ask(query, options)), lines: upstream.lines() };
}

const nodeId = (name: string) => Buffer.from(name).toString('base64url');

const fullMessage = wireMessage('m1', {
  reactions: [
    { heart: ['ann', 'bob'], '👍': ['cy'] },
    { heart: ['bob', 'dee'], sad: [] },
  ],
  attachments: [{ url: 'https://media.example/a', size: { w: 1, h: null } }, 'plain', 3],
  read_at: 1700000100,
  updated_at: 1700000200,
});

test('a message has every field of the schema', async () => {
  const { data, errors } = await ask(
    { 'GET /v1/messages/m1': fullMessage },
    `{ message(id: "m1") { ${MESSAGE_FIELDS} } }`,
  );

  expect(errors).toBeUndefined();
  expect(keysOf(data.message)).toEqual(fieldsOf('Message'));
  expect(keysOf(data.message.contact)).toEqual(fieldsOf('Contact'));
  expect(keysOf(data.message.reactions[0])).toEqual(fieldsOf('Reaction'));
  expect(data.message).toEqual({
    __typename: 'Message',
    id: 'm1',
    nodeId: nodeId('Message:m1'),
    conversationId: 'c1',
    message: 'text m1',
    attachments: [
      { url: 'https://media.example/a', size: { w: 1, h: null } },
      'plain',
      3,
    ],
    readAt: 1700000100,
    readAtIso: '2023-11-14T22:15:00.000Z',
    createdAt: 1700000000,
    createdAtIso: '2023-11-14T22:13:20.000Z',
    updatedAt: 1700000200,
    updatedAtIso: '2023-11-14T22:16:40.000Z',
    conversation: { id: 'c1' },
    contact: {
      __typename: 'Contact',
      id: 'u1',
      username: 'ann',
      phoneNumber: '+1 555 0100',
      avatarUrl: 'https://media.example/ann.png',
      lastActiveAt: 1700000300,
      lastActiveAtIso: '2023-11-14T22:18:20.000Z',
      createdAt: 1600000000,
      createdAtIso: '2020-09-13T12:26:40.000Z',
    },
    reactions: [
      {
        __typename: 'Reaction',
        name: 'heart',
        usernames: ['ann', 'bob', 'dee'],
        count: 3,
      },
      { __typename: 'Reaction', name: '👍', usernames: ['cy'], count: 1 },
      { __typename: 'Reaction', name: 'sad', usernames: [], count: 0 },
    ],
  });
});

test('nullable fields of a message and its contact are null when null or missing', async () => {
  const { phone_number, ...contact } = wireContact({
    avatar_url: null,
    last_active_at: null,
  });
  const { updated_at, ...message } = wireMessage('m1', { contact, read_at: null });

  const { data, errors } = await ask(
    { 'GET /v1/messages/m1': message },
    '{ message(id: "m1") { readAt updatedAt contact { phoneNumber avatarUrl lastActiveAt } } }',
  );

  expect(errors).toBeUndefined();
  expect(data.message).toEqual({
    readAt: null,
    updatedAt: null,
    contact: { phoneNumber: null, avatarUrl: null, lastActiveAt: null },
  });
});

test('a nullable id that is an empty text is null', async () => {
  const { data, errors } = await ask(
    {
      'GET /v1/conversations/c1': wireConversation('c1', {
        contact_id: '',
        group_id: '',
        pinned_message_id: '',
      }),
    },
    '{ conversation(id: "c1") { contactId groupId group { id } pinnedMessageId pinnedMessage { message } } }',
  );

  expect(errors).toBeUndefined();
  expect(data.conversation).toEqual({
    contactId: null,
    groupId: null,
    group: null,
    pinnedMessageId: null,
    pinnedMessage: null,
  });
});

test('a conversation has every field of the schema', async () => {
  const { data, errors } = await ask(
    {
      'GET /v1/conversations/c1': wireConversation('c1', {
        group_id: 'g1',
        pinned_message_id: 'm1',
        is_pinned: true,
        is_muted: true,
        last_active_at: 1,
        last_opened_at: 2,
        archived_at: 4,
      }),
      'GET /v1/messages': wirePage([wireMessage('m1')]),
    },
    `{ conversation(id: "c1") { ${CONVERSATION_FIELDS} } }`,
  );

  expect(errors).toBeUndefined();
  expect(keysOf(data.conversation)).toEqual(fieldsOf('Conversation'));
  expect(keysOf(data.conversation.group)).toEqual(fieldsOf('Group'));
  expect(data.conversation).toEqual({
    __typename: 'Conversation',
    id: 'c1',
    nodeId: nodeId('Conversation:c1'),
    contactId: 'u2',
    groupId: 'g1',
    group: { __typename: 'Group', id: 'g1' },
    pinnedMessageId: 'm1',
    isPinned: true,
    isMuted: true,
    lastActiveAt: 1,
    lastActiveAtIso: '1970-01-01T00:00:01.000Z',
    lastOpenedAt: 2,
    lastOpenedAtIso: '1970-01-01T00:00:02.000Z',
    createdAt: 1690000000,
    createdAtIso: '2023-07-22T04:26:40.000Z',
    archivedAt: 4,
    archivedAtIso: '1970-01-01T00:00:04.000Z',
    pinnedMessage: { id: 'm1' },
    messages: { nodes: [{ id: 'm1' }] },
  });
});

const CONNECTION = `
  __typename
  edges { __typename cursor node { __typename id } }
  nodes { __typename id }
  pageInfo { __typename hasNextPage hasPreviousPage startCursor endCursor }
`;

test.each([
  ['messages', 'MessageConnection', wireMessage, 'Message'],
  ['conversations', 'ConversationConnection', wireConversation, 'Conversation'],
] as const)(
  '%s is a connection with every field of the schema',
  async (list, type, wire, node) => {
    const { data, errors } = await ask(
      { [`GET /v1/${list}`]: wirePage([wire('x1'), wire('x2')], true) },
      `{ ${list}(first: 2) { ${CONNECTION} } }`,
    );

    expect(errors).toBeUndefined();
    const cursors = data[list].edges.map((edge: { cursor: string }) => edge.cursor);
    const nodes = ['x1', 'x2'].map((id) => ({ __typename: node, id }));
    expect(new Set(cursors).size).toBe(2);
    expect(data[list]).toEqual({
      __typename: type,
      edges: nodes.map((item, index) => ({
        __typename: `${node}Edge`,
        cursor: cursors[index],
        node: item,
      })),
      nodes,
      pageInfo: {
        __typename: 'PageInfo',
        hasNextPage: true,
        hasPreviousPage: false,
        startCursor: cursors[0],
        endCursor: cursors[1],
      },
    });
  },
);

test('nodes keeps the order and repeats of its ids; junk is an error at its place', async () => {
  const nodeIds = [
    'Conversation:c1',
    'Message:m1',
    'Message:gone',
    'Conversation:c1',
  ].map(nodeId);
  nodeIds.push('junk!', nodeId('Contact:u1'), nodeId('toString:x'), `${nodeIds[0]}=`);

  const { data, errors, lines } = await ask(
    {
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/conversations/c1': wireConversation('c1'),
    },
    'query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { nodeId ... on Message { message } ... on Conversation { contactId } } }',
    { variables: { nodeIds } },
  );

  const conversation = { nodeId: nodeIds[0], contactId: 'u2' };
  expect(data.nodes).toEqual([
    conversation,
    { nodeId: nodeIds[1], message: 'text m1' },
    null,
    conversation,
    null,
    null,
    null,
    null,
  ]);
  expect(errors?.map(({ path, extensions }) => [path?.[1], extensions.code])).toEqual(
    [4, 5, 6, 7].map((index) => [index, 'BAD_USER_INPUT']),
  );
  expect(lines.sort()).toEqual([
    'GET /v1/conversations/c1',
    'GET /v1/messages/gone',
    'GET /v1/messages/m1',
  ]);
});

test('node returns the object of a nodeId, or null for an unknown one', async () => {
  const { data, errors } = await ask(
    { 'GET /v1/messages/m1': wireMessage('m1') },
    `{ known: node(nodeId: "${nodeId('Message:m1')}") { __typename nodeId }
       unknown: node(nodeId: "${nodeId('Message:m2')}") { nodeId } }`,
  );

  expect(errors).toBeUndefined();
  expect(data).toEqual({
    known: { __typename: 'Message', nodeId: nodeId('Message:m1') },
    unknown: null,
  });
});
