import { parse } from 'qs';
import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage } from '../support/wire.ts';

/** Sends one operation; returns its answer, the calls, and the form of the first call, decoded and parsed. */
async function ask(query: string, variables: Record<string, unknown> = {}) {
  await using upstream = await startUpstream(({ line }) => ({
    body: line.includes('conversations') ? wireConversation('c1') : wireMessage('m1'),
  }));
  await using gateway = await startTestGateway(upstream.url);
  const answer = await gateway.ask(query, { variables });
  const form = upstream.calls[0]?.form ?? '';
  return {
    ...answer,
    calls: upstream.calls,
    form,
    decoded: decodeURIComponent(form),
    parsed: parse(form, { depth: 100, arrayLimit: 1000 }),
  };
}

/** The fields that each input must have. */
const REQUIRED = {
  sendMessage: { conversationId: 'c1', message: 'm' },
  updateMessage: { id: 'm1' },
  deleteMessage: { id: 'm1' },
  createConversation: {},
  updateConversation: { id: 'c1' },
  deleteConversation: { id: 'c1' },
};
type Mutation = keyof typeof REQUIRED;

const write = (mutation: Mutation, input: object) => {
  const type = mutation.replace(/^./, (letter) => letter.toUpperCase());
  return ask(
    `mutation ($input: ${type}Input!) { ${mutation}(input: $input) { __typename } }`,
    { input: { ...REQUIRED[mutation], ...input } },
  );
};

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

const deep = (levels: number): unknown => (levels === 0 ? 'x' : { a: deep(levels - 1) });

describe('attachments', () => {
  test.each([
    ['an object', [{ url: 'https://media.example/a?b=c&d', name: 'x y' }]],
    ['nested objects and lists', [{ a: { b: [{ c: '1' }, { d: ['2', '3'] }] } }]],
    ['objects that a parser could merge', [{ x: '1' }, { y: '2' }, { x: '3' }]],
    ['plain text', ['one', 'two']],
    ['lists in lists', [['a', ['b']], ['c']]],
    ['more than twenty', Array.from({ length: 30 }, (_, i) => ({ n: `${i}` }))],
    ['keys of every kind', [{ 'a b': '1', 'ü👍': '2', 'a.b': '3', 'a&b=c': '4' }]],
    ['sixty-four levels', [deep(64)]],
  ])('keep their structure: %s', async (_what, attachments) => {
    const { parsed, errors } = await write('sendMessage', { attachments });

    expect(errors).toBeUndefined();
    expect(parsed).toMatchObject({ attachments });
  });

  test('are sent as text, since a form has no other values', async () => {
    const { parsed } = await write('sendMessage', {
      attachments: [
        { n: 1.5, yes: true, no: false, none: null, list: [], object: {} },
        7,
      ],
    });

    expect(parsed).toMatchObject({
      attachments: [
        { n: '1.5', yes: 'true', no: 'false', none: '', list: '', object: '' },
        '7',
      ],
    });
  });

  test('may be written into the operation', async () => {
    expect(await sendLiteral('[{ a: [1, true, "x"] }]')).toBe(
      'attachments[0][a][0]=1&attachments[0][a][1]=true&attachments[0][a][2]=x',
    );
  });

  test.each([
    ['12345678901234567890', '12345678901234567890'],
    ['-9007199254740993', '-9007199254740993'],
    ['52.12345678901234567890', '52.12345678901234567890'],
    ['1e999', '1e999'],
    ['-1e-999', '-1e-999'],
    ['1234567890123456.7e-320', '1234567890123456.7e-320'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['0.10', '0.1'],
    ['1E3', '1000'],
    ['-1.5e-3', '-0.0015'],
    ['7', '7'],
  ])(
    'keep every digit of a number in the text of the operation: %s',
    async (literal, sent) => {
      expect(await sendLiteral(`[{ n: ${literal} }]`)).toBe(`attachments[0][n]=${sent}`);
    },
  );

  test.each([
    ['[{ url: $u, k: "x" }]', 'attachments[0][k]=x'],
    ['[{ url: $u }]', 'attachments[0]='],
    ['[{ url: $u }, { url: "x" }]', 'attachments[0]=&attachments[1][url]=x'],
    ['[{ a: { url: $u } }, "z"]', 'attachments[0][a]=&attachments[1]=z'],
    ['[{ list: [$u, "b"] }]', 'attachments[0][list][0]=&attachments[0][list][1]=b'],
  ])(
    'leave out a variable without a value, and nothing else: %s',
    async (literal, form) => {
      expect(await sendLiteral(literal)).toBe(form);
    },
  );

  test.each([
    ['text', 'x', 'attachments[0][list][0]=x&attachments[0][url]=x'],
    ['null', null, 'attachments[0][list][0]=&attachments[0][url]='],
  ])('take the value of a variable as it is: %s', async (_what, u, form) => {
    expect(await sendLiteral('[{ list: [$u], url: $u }]', { u })).toBe(form);
  });

  test('may have keys that every object inherits', async () => {
    const attachments = [JSON.parse('{"__proto__":"1","constructor":{"prototype":"2"}}')];

    const { decoded, errors } = await write('sendMessage', { attachments });

    expect(errors).toBeUndefined();
    expect(decoded).toContain(
      'attachments[0][__proto__]=1&attachments[0][constructor][prototype]=2',
    );
  });
});

/** Sends a message with attachments in the operation's text, where `$u` is a variable; returns their form. */
async function sendLiteral(attachments: string, variables: Record<string, unknown> = {}) {
  const declared = attachments.includes('$u') ? '($u: String)' : '';
  const { decoded, errors } = await ask(
    `mutation ${declared} {
      sendMessage(input: { conversationId: "c1", message: "m", attachments: ${attachments} }) {
        message { id }
      }
    }`,
    variables,
  );
  expect(errors).toBeUndefined();
  return decoded.replace('conversation_id=c1&message=m&', '');
}

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
  ['an attachment of 65 levels', 'updateMessage', { attachments: [deep(65)] }],
  ['an empty key', 'updateMessage', { attachments: [{ '': 1 }] }],
  ['a key with [', 'updateMessage', { attachments: [{ 'a[': 1 }] }],
  ['a key with ]', 'updateMessage', { attachments: [{ a: [{ ']': 1 }] }] }],
  ['a key that is not Unicode', 'updateMessage', { attachments: [{ '\udc00': 1 }] }],
  ['a value that is not Unicode', 'updateMessage', { attachments: [{ a: ['\udc00'] }] }],
  [
    'a form of 300 MB',
    'updateMessage',
    { attachments: [{ ['k'.repeat(300_000)]: Array(1000).fill(1) }] },
  ],
  ['null for isPinned', 'updateConversation', { isPinned: null }],
  ['null for isMuted', 'updateConversation', { isMuted: null, isPinned: true }],
  ['an update of no conversation field', 'updateConversation', {}],
  ['an empty pinned message', 'updateConversation', { pinnedMessageId: '' }],
  ['a conversation with nobody', 'createConversation', {}],
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
      delayMs: 1000,
    }));
    await using gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '100',
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
