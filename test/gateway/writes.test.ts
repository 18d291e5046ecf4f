import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { askOnce } from '../support/gateway.ts';
import { answering } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';
import { type Mutation, sendOperation, write } from '../support/write.ts';

const MESSAGES_OF_C1 = 'GET /v1/messages?conversation_id=c1&limit=10';

test.each<[Mutation, input: object, line: string, form: string]>([
  ['sendMessage', {}, 'POST /v1/messages', 'conversation_id=c1&message=m'],
  ['updateMessage', { message: 'hi' }, 'PUT /v1/messages/m1', 'message=hi'],
  ['deleteMessage', {}, 'DELETE /v1/messages/m1', ''],
  ['createConversation', { contactId: 'u1' }, 'POST /v1/conversations', 'contact_id=u1'],
  ['updateConversation', { isMuted: true }, 'PUT /v1/conversations/c1', 'is_muted=true'],
  ['deleteConversation', {}, 'DELETE /v1/conversations/c1', ''],
])('%s is one call with a form', async (mutation, input, line, form) => {
  const { calls, errors } = await write(mutation, input);

  expect(errors).toBeUndefined();
  expect(calls).toEqual([{ line, form, token: 'Bearer ann-token' }]);
});

test.each<[Mutation, input: object, form: string]>([
  ['updateConversation', { pinnedMessageId: 'm1' }, 'pinned_message_id=m1'],
  ['updateConversation', { pinnedMessageId: null }, 'pinned_message_id='],
  ['updateConversation', { isPinned: false }, 'is_pinned=false'],
  ['updateConversation', { archivedAt: 2 ** 53 - 1 }, 'archived_at=9007199254740991'],
  ['updateConversation', { archivedAt: 0 }, 'archived_at=0'],
  ['updateConversation', { archivedAt: null }, 'archived_at='],
  ['createConversation', { contactId: 'u1', groupId: null }, 'contact_id=u1'],
  ['createConversation', { contactId: 'u1', groupId: 'g1' }, 'contact_id=u1&group_id=g1'],
  ['updateMessage', { attachments: null }, 'attachments='],
  ['updateMessage', { attachments: [] }, 'attachments='],
  ['sendMessage', { attachments: null }, 'conversation_id=c1&message=m'],
  ['sendMessage', { attachments: [] }, 'conversation_id=c1&message=m'],
  ['updateMessage', { reactions: null }, 'reactions='],
  ['updateMessage', { reactions: [] }, 'reactions='],
  ['updateMessage', { reactions: [{ name: 'a', usernames: [] }] }, 'reactions[a]='],
  [
    'updateMessage',
    { reactions: [{ name: '__proto__', usernames: ['x', 'b&b'] }] },
    'reactions[__proto__][]=x&reactions[__proto__][]=b&b',
  ],
  [
    'updateMessage',
    {
      reactions: [
        { name: '👍', usernames: ['ann'] },
        { name: '👍', usernames: ['cy'] },
      ],
    },
    'reactions[👍][]=ann&reactions[👍][]=cy',
  ],
])('%s with %j sends the form %s', async (mutation, input, expected) => {
  const { form, errors } = await write(mutation, input);

  expect(errors).toBeUndefined();
  expect(decodeURIComponent(form)).toBe(expected);
});

test('a form may hold 130,000 usernames', async () => {
  const usernames = Array.from({ length: 130_000 }, () => 'x');

  const { form, errors } = await write('updateMessage', {
    reactions: [{ name: 'a', usernames }],
  });

  expect(errors).toBeUndefined();
  expect(form.split('&')).toHaveLength(130_000);
});

describe('input is not checked', () => {
  const BAD =
    'updateMessage(input: { id: "m1", reactions: [{ name: "[", usernames: [] }] }) { message { id } }';

  test('without a token', async () => {
    const { codes } = await sendOperation(`mutation { ${BAD} }`, { token: null });

    expect(codes).toEqual({ updateMessage: 'UNAUTHENTICATED' });
  });

  test('after the time of the operation is up, and nothing is sent', async () => {
    const answer = await askOnce(
      `mutation { slow: deleteMessage(input: { id: "m1" }) { deletedMessageId } late: ${BAD} }`,
      answering({ delayMs: 60_000 }),
      { env: { OPERATION_TIMEOUT_MS: '500' } },
    );

    expect(answer.codes).toEqual({ slow: 'UPSTREAM_TIMEOUT', late: 'UPSTREAM_TIMEOUT' });
    expect(answer.errors?.map(({ extensions }) => extensions.outcome)).toEqual([
      'unknown',
      undefined,
    ]);
    expect(answer.lines).toEqual(['DELETE /v1/messages/m1']);
  });
});

// security: stale-read
test('each mutation is followed by fresh reads in the same operation', async () => {
  const send = `sendMessage(input: { conversationId: "c1", message: "hi" }) {
    message { conversation { lastActiveAt messages { nodes { id } } } }
  }`;

  const { data, lines } = await askOnce(`mutation { a: ${send} b: ${send} }`, {
    'POST /v1/messages': [wireMessage('m1'), wireMessage('m2')],
    'GET /v1/conversations/c1': [
      wireConversation('c1', { last_active_at: 1 }),
      wireConversation('c1', { last_active_at: 2 }),
    ],
    'GET /v1/messages': [
      wirePage([wireMessage('m1')]),
      wirePage([wireMessage('m2'), wireMessage('m1')]),
    ],
  });

  expect([data.a, data.b].map(({ message }) => message.conversation)).toEqual([
    { lastActiveAt: 1, messages: { nodes: [{ id: 'm1' }] } },
    { lastActiveAt: 2, messages: { nodes: [{ id: 'm2' }, { id: 'm1' }] } },
  ]);
  const oneMutation = ['POST /v1/messages', 'GET /v1/conversations/c1', MESSAGES_OF_C1];
  expect(lines).toEqual([...oneMutation, ...oneMutation]);
});

test('a link to the result of a mutation makes no call', async () => {
  const { data, lines } = await askOnce(
    `mutation { updateConversation(input: { id: "c1", isMuted: true }) {
      conversation { messages { nodes { conversation { isMuted } } } }
    } }`,
    {
      'PUT /v1/conversations/c1': wireConversation('c1', { is_muted: true }),
      'GET /v1/messages': wirePage([wireMessage('m1')]),
    },
  );

  const { nodes } = data.updateConversation.conversation.messages;
  expect(nodes).toEqual([{ conversation: { isMuted: true } }]);
  expect(lines).toEqual(['PUT /v1/conversations/c1', MESSAGES_OF_C1]);
});

test('a mutation begins when all reads for the one before have ended, also if a part of its payload has failed', async () => {
  const isWritten = Promise.withResolvers<void>();
  const steps: string[] = [];
  // These reactions do not fit into the answer twice, which is known only after some turns of the thread.
  const usernames = Array.from({ length: 100 }, (_, index) => `u${index}`);
  const reactions = Array.from({ length: 4000 }, (_, index) => ({
    [`r${index}`]: usernames,
  }));
  const script: Record<string, () => unknown> = {
    'PUT /v1/messages/m1': () => wireMessage('m1', { reactions }),
    'GET /v1/conversations/c1': () => wireConversation('c1'),
    [MESSAGES_OF_C1]: async () => {
      await Promise.race([isWritten.promise, sleep(2000)]);
      steps.push('the list is read');
      return wirePage([wireMessage('m9')]);
    },
    'PUT /v1/conversations/c1': () => {
      steps.push('the next mutation is made');
      isWritten.resolve();
      return wireConversation('c1');
    },
  };

  const { codes } = await askOnce(
    `mutation {
      updateMessage(input: { id: "m1", message: "x" }) {
        message { conversation { messages { nodes { id } } } reactions { a: usernames b: usernames } }
      }
      updateConversation(input: { id: "c1", isMuted: true }) { conversation { id } }
    }`,
    async ({ line }) => ({ body: await script[line]?.() }),
  );

  expect(Object.values(codes)).toEqual(['OPERATION_TOO_COSTLY']);
  expect(steps).toEqual(['the list is read', 'the next mutation is made']);
});
