import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { resources } from '../../src/messaging/index.ts';
import { createSchema } from '../../src/resolvers/schema.ts';
import { askOnce } from '../support/gateway.ts';
import {
  nodeIdOf,
  wireContact,
  wireConversation,
  wireMessage,
  wirePage,
} from '../support/wire.ts';

const schema = createSchema(resources);

/** Selects every field of a type, so that no new one is forgotten here; and of the objects below it what `links` says, or their ids. */
function selectAll(type: string, links: Record<string, string> = {}): string {
  const object = schema.getType(type);
  if (!isObjectType(object)) throw new Error(`${type} is not an object type`);
  const fields = Object.values(object.getFields()).map((field) => {
    if (isLeafType(getNamedType(field.type))) return field.name;
    return `${field.name} { ${links[field.name] ?? 'id'} }`;
  });
  return `__typename ${fields.join(' ')}`;
}

const ask = (script: Record<string, unknown>, query: string) =>
  askOnce(query, script, { env: { TIMESTAMP_UNIT: 'seconds' } });

test('a message has every field of the schema', async () => {
  const attachments = [
    { url: 'https://media.example/a', size: { w: 1, h: null } },
    'plain',
    3,
  ];
  const message = wireMessage('m1', {
    reactions: [
      { heart: ['ann', 'bob'], '👍': ['cy'] },
      { heart: ['bob', 'dee'], sad: [] },
    ],
    attachments,
    read_at: 1700000100,
    updated_at: 1700000200,
  });
  const fields = selectAll('Message', {
    contact: selectAll('Contact'),
    reactions: selectAll('Reaction'),
  });

  const { data, errors } = await ask(
    {
      'GET /v1/messages/m1': message,
      'GET /v1/conversations/c1': wireConversation('c1'),
    },
    `{ message(id: "m1") { ${fields} } }`,
  );

  expect(errors).toBeUndefined();
  expect(data.message).toEqual({
    __typename: 'Message',
    id: 'm1',
    nodeId: nodeIdOf('Message', 'm1'),
    conversationId: 'c1',
    message: 'text m1',
    isMine: true,
    attachments,
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
      ['heart', ['ann', 'bob', 'dee']],
      ['👍', ['cy']],
      ['sad', []],
    ].map(([name = '', usernames = '']) => ({
      __typename: 'Reaction',
      name,
      usernames,
      count: usernames.length,
      isMine: name === 'heart',
    })),
  });
});

test('a conversation has every field of the schema', async () => {
  const conversation = wireConversation('c1', {
    group_id: 'g1',
    pinned_message_id: 'm1',
    is_pinned: true,
    is_muted: true,
    last_active_at: 1,
    last_opened_at: 2,
    archived_at: 4,
  });
  const fields = selectAll('Conversation', {
    messages: 'nodes { id }',
  });

  const { data, errors } = await ask(
    {
      'GET /v1/conversations/c1': conversation,
      'GET /v1/messages': wirePage([wireMessage('m1')]),
    },
    `{ conversation(id: "c1") { ${fields} } }`,
  );

  expect(errors).toBeUndefined();
  expect(data.conversation).toEqual({
    __typename: 'Conversation',
    id: 'c1',
    nodeId: nodeIdOf('Conversation', 'c1'),
    contactId: 'u2',
    contact: null,
    unreadCount: null,
    groupId: 'g1',
    group: { id: 'g1' },
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
    latestMessage: { id: 'm1' },
    hasNewActivity: false,
  });
});

test('nullable fields are null when null, missing, or an id that is an empty text', async () => {
  const { phone_number, ...contact } = wireContact({
    avatar_url: null,
    last_active_at: null,
  });
  const { updated_at, ...message } = wireMessage('m1', { contact, read_at: null });
  const empty = { contact_id: '', group_id: '', pinned_message_id: '' };

  const { data, errors } = await ask(
    {
      'GET /v1/messages/m1': message,
      'GET /v1/conversations/c1': wireConversation('c1', empty),
    },
    `{ message(id: "m1") { readAt updatedAt contact { phoneNumber avatarUrl lastActiveAt } }
       conversation(id: "c1") {
         contactId groupId group { id } pinnedMessageId pinnedMessage { message }
       } }`,
  );

  expect(errors).toBeUndefined();
  expect(data).toEqual({
    message: {
      readAt: null,
      updatedAt: null,
      contact: { phoneNumber: null, avatarUrl: null, lastActiveAt: null },
    },
    conversation: {
      contactId: null,
      groupId: null,
      group: null,
      pinnedMessageId: null,
      pinnedMessage: null,
    },
  });
});
