import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';
import { type Mutation, write } from '../support/write.ts';

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
  [
    'updateConversation',
    { isPinned: false, isMuted: true },
    'is_pinned=false&is_muted=true',
  ],
  [
    'updateConversation',
    { archivedAt: 9007199254740991 },
    'archived_at=9007199254740991',
  ],
  ['updateConversation', { archivedAt: 0 }, 'archived_at=0'],
  ['updateConversation', { archivedAt: null }, 'archived_at='],
  ['createConversation', { contactId: 'u1', groupId: null }, 'contact_id=u1'],
  ['createConversation', { groupId: 'g1' }, 'group_id=g1'],
  ['createConversation', { contactId: 'u1', groupId: 'g1' }, 'contact_id=u1&group_id=g1'],
  ['updateMessage', { attachments: null }, 'attachments='],
  ['updateMessage', { attachments: [] }, 'attachments='],
  ['sendMessage', { attachments: null }, 'conversation_id=c1&message=m'],
  ['sendMessage', { attachments: [] }, 'conversation_id=c1&message=m'],
  ['updateMessage', { reactions: null }, 'reactions='],
  ['updateMessage', { reactions: [] }, 'reactions='],
  [
    'updateMessage',
    { reactions: [{ name: 'a.b', usernames: ['x'] }] },
    'reactions%5Ba.b%5D%5B%5D=x',
  ],
  [
    'updateMessage',
    {
      reactions: [
        { name: 'heart', usernames: ['ann', 'b&b'] },
        { name: '👍', usernames: ['cy'] },
      ],
    },
    'reactions%5Bheart%5D%5B%5D=ann&reactions%5Bheart%5D%5B%5D=b%26b&reactions%5B%F0%9F%91%8D%5D%5B%5D=cy',
  ],
])('%s with %j sends the form %s', async (mutation, input, expected) => {
  const { form, errors } = await write(mutation, input);

  expect(errors).toBeUndefined();
  expect(form).toBe(expected);
});

test('the token reaches the service unchanged, whatever the case of "Bearer"', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);
  const token = `aZ09-._~+/=!"#$%&'()*,:;<>?@[]^{|}\``;

  await gateway.ask('{ message(id: "m1") { id } }', {
    token: null,
    headers: { authorization: `bEARER ${token}` },
  });

  expect(upstream.calls[0]?.token).toBe(`Bearer ${token}`);
});

test.each([
  'a & b = c + d % e',
  'line\nbreak\r\nand\ttab',
  '日本語 👩‍👩‍👧 é \u{10FFFF}',
  '%26%3D+%2B',
  '',
  ' leading and trailing ',
  'quotes " \' ` \\ and / slashes; #hash ?q [x]',
  '\u0000\u0001',
])('text arrives as it was written: %j', async (message) => {
  const { form, parsed, errors } = await write('sendMessage', { message });

  expect(errors).toBeUndefined();
  expect(parsed).toEqual({ conversation_id: 'c1', message });
  expect(new URLSearchParams(form).get('message')).toBe(message);
});

test.each([
  ['no usernames', [{ name: 'heart', usernames: [] }], 'reactions[heart]='],
  [
    'a name given twice',
    [
      { name: 'a', usernames: ['x'] },
      { name: 'a', usernames: ['y'] },
    ],
    'reactions[a][]=x&reactions[a][]=y',
  ],
  [
    'the name __proto__',
    [{ name: '__proto__', usernames: ['x'] }],
    'reactions[__proto__][]=x',
  ],
])(
  'reactions are sent in the bracket form of the interface: %s',
  async (_what, reactions, form) => {
    const { decoded, errors } = await write('updateMessage', { reactions });

    expect(errors).toBeUndefined();
    expect(decoded).toBe(form);
  },
);

const MANY = Array.from({ length: 130_000 }, () => 'x');

test.each([
  [130_000, 'usernames', { reactions: [{ name: 'a', usernames: MANY }] }],
  [
    20_000,
    'reactions of one name',
    {
      reactions: Array.from({ length: 20_000 }, () => ({ name: 'a', usernames: ['u'] })),
    },
  ],
  [130_000, 'attachments', { attachments: MANY }],
  [130_000, 'items of an attachment', { attachments: [MANY] }],
])('a form may hold %i %s', async (count, _what, input) => {
  const { form, errors } = await write('updateMessage', input);

  expect(errors).toBeUndefined();
  expect(form.split('&')).toHaveLength(count);
});

test.each<[what: string, Mutation, input: object]>([
  ['text that is not Unicode', 'sendMessage', { message: 'a\ud800' }],
  ['a message to an empty conversation', 'sendMessage', { conversationId: '' }],
  ['null for a text', 'updateMessage', { message: null }],
  ['an update of no message field', 'updateMessage', {}],
  ['no reaction name', 'updateMessage', { reactions: [{ name: '', usernames: ['x'] }] }],
  [
    'a reaction name with [',
    'updateMessage',
    { reactions: [{ name: 'a[b', usernames: ['x'] }] },
  ],
  [
    'a reaction name with ]',
    'updateMessage',
    { reactions: [{ name: ']', usernames: [] }] },
  ],
  ['null for isPinned', 'updateConversation', { isPinned: null }],
  ['null for isMuted', 'updateConversation', { isMuted: null, isPinned: true }],
  ['an update of no conversation field', 'updateConversation', {}],
  ['an empty pinned message', 'updateConversation', { pinnedMessageId: '' }],
  ['a conversation without contact and group', 'createConversation', {}],
  [
    'a conversation with null and null',
    'createConversation',
    { contactId: null, groupId: null },
  ],
  ['a conversation with an empty contact', 'createConversation', { contactId: '' }],
])('%s is refused before any call', async (_what, mutation, input) => {
  const { calls, errors, data, status } = await write(mutation, input);

  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
  expect(Object.values(data)).toEqual([null]);
  expect(status).toBe(200);
  expect(calls).toEqual([]);
});

describe('input is not checked', () => {
  const BAD =
    'updateMessage(input: { id: "m1", reactions: [{ name: "[", usernames: [] }] })';

  test('without a token', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const answer = await gateway.ask(`mutation { ${BAD} { message { id } } }`, {
      token: null,
    });

    expect(codes(answer)).toEqual({ updateMessage: 'UNAUTHENTICATED' });
  });

  test('after the time of the operation is up, and nothing is sent', async () => {
    await using upstream = await startUpstream(() => ({
      body: wireMessage('m1'),
      delayMs: 60_000,
    }));
    await using gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '1000',
    });

    const answer = await gateway.ask(
      `mutation {
        slow: deleteMessage(input: { id: "m1" }) { deletedMessageId }
        late: ${BAD} { message { id } }
      }`,
    );

    expect(codes(answer)).toEqual({ slow: 'UPSTREAM_TIMEOUT', late: 'UPSTREAM_TIMEOUT' });
    expect(answer.errors?.map(({ extensions }) => extensions.outcome)).toEqual([
      'unknown',
      undefined,
    ]);
    expect(upstream.lines()).toEqual(['DELETE /v1/messages/m1']);
  });
});
