import { parse } from 'qs';
import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage } from '../support/wire.ts';

/** Sends one mutation and tells what went over the wire. */
async function write(field: string, type: string, input: unknown) {
  await using upstream = await startUpstream(({ line }) => ({
    body: line.includes('conversations') ? wireConversation('c1') : wireMessage('m1'),
  }));
  await using gateway = await startTestGateway(upstream.url);
  const answer = await gateway.ask(
    `mutation ($input: ${type}!) { ${field}(input: $input) { __typename } }`,
    { variables: { input } },
  );
  return { ...answer, calls: upstream.calls };
}
const send = (input: object) => write('sendMessage', 'SendMessageInput', input);
const updateMessage = (input: object) =>
  write('updateMessage', 'UpdateMessageInput', { id: 'm1', ...input });
const createConversation = (input: object) =>
  write('createConversation', 'CreateConversationInput', input);
const updateConversation = (input: object) =>
  write('updateConversation', 'UpdateConversationInput', { id: 'c1', ...input });

/** Sends a message whose attachments stand in the operation itself, `$u` being what is given, and tells their form. */
async function sendLiteral(attachments: string, variables: Record<string, unknown> = {}) {
  await using upstream = await startUpstream(() => ({ body: wireMessage('m1') }));
  await using gateway = await startTestGateway(upstream.url);
  const declared = attachments.includes('$u') ? '($u: String)' : '';
  const { errors } = await gateway.ask(
    `mutation ${declared} {
      sendMessage(input: { conversationId: "c1", message: "m", attachments: ${attachments} }) {
        message { id }
      }
    }`,
    { variables },
  );
  expect(errors).toBeUndefined();
  return decodeURIComponent(upstream.calls[0]?.form ?? '').replace(
    'conversation_id=c1&message=m&',
    '',
  );
}

/** Reads a form back as a standard parser does. */
const readBack = (form: string) => parse(form, { depth: 100, arrayLimit: 1000 });

describe('the wire', () => {
  test.each([
    [
      'sendMessage',
      'SendMessageInput',
      { conversationId: 'c1', message: 'hi' },
      'POST /v1/messages',
      'conversation_id=c1&message=hi',
    ],
    [
      'updateMessage',
      'UpdateMessageInput',
      { id: 'm1', message: 'hi' },
      'PUT /v1/messages/m1',
      'message=hi',
    ],
    ['deleteMessage', 'DeleteMessageInput', { id: 'm1' }, 'DELETE /v1/messages/m1', ''],
    [
      'createConversation',
      'CreateConversationInput',
      { contactId: 'u1' },
      'POST /v1/conversations',
      'contact_id=u1',
    ],
    [
      'updateConversation',
      'UpdateConversationInput',
      { id: 'c1', isMuted: true },
      'PUT /v1/conversations/c1',
      'is_muted=true',
    ],
    [
      'deleteConversation',
      'DeleteConversationInput',
      { id: 'c1' },
      'DELETE /v1/conversations/c1',
      '',
    ],
  ])('%s is one call with a form', async (field, type, input, line, form) => {
    const { calls, errors } = await write(field, type, input);

    expect(errors).toBeUndefined();
    expect(calls).toEqual([{ line, form, token: 'Bearer ann-token' }]);
  });

  test('the token travels byte for byte, whatever the case of "Bearer"', async () => {
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
});

describe('text', () => {
  test.each([
    'a & b = c + d % e',
    'line\nbreak\r\nand\ttab',
    '日本語 👩‍👩‍👧 é \u{10FFFF}',
    '%26%3D+%2B',
    '',
    ' leading and trailing ',
    'quotes " \' ` \\ and / slashes; #hash ?q [x]',
    '\u0000\u0001',
  ])('arrives as it was written: %j', async (message) => {
    const { calls, errors } = await send({ conversationId: 'c1', message });

    expect(errors).toBeUndefined();
    expect(readBack(calls[0]?.form ?? '')).toEqual({ conversation_id: 'c1', message });
    expect(new URLSearchParams(calls[0]?.form).get('message')).toBe(message);
  });

  test('that is no well-formed Unicode is refused, for no form can carry it', async () => {
    const { calls, errors } = await send({ conversationId: 'c1', message: 'a\ud800' });

    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(calls).toEqual([]);
  });
});

describe('reactions', () => {
  test('go out in the bracket form of the interface', async () => {
    const { calls } = await updateMessage({
      reactions: [
        { name: 'heart', usernames: ['ann', 'b&b'] },
        { name: '👍', usernames: ['cy'] },
      ],
    });

    expect(decodeURIComponent(calls[0]?.form.replace('%26', '%2526') ?? '')).toBe(
      'reactions[heart][]=ann&reactions[heart][]=b%26b&reactions[👍][]=cy',
    );
  });

  test.each([
    ['null clears them', null, 'reactions='],
    ['an empty list clears them', [], 'reactions='],
    [
      'no usernames empty that one',
      [{ name: 'heart', usernames: [] }],
      'reactions[heart]=',
    ],
    [
      'a name given twice is one',
      [
        { name: 'a', usernames: ['x'] },
        { name: 'a', usernames: ['y'] },
      ],
      'reactions[a][]=x&reactions[a][]=y',
    ],
    [
      'a name may be __proto__',
      [{ name: '__proto__', usernames: ['x'] }],
      'reactions[__proto__][]=x',
    ],
    ['a name may hold a dot', [{ name: 'a.b', usernames: ['x'] }], 'reactions[a.b][]=x'],
  ])('%s', async (_what, reactions, form) => {
    const { calls, errors } = await updateMessage({ reactions });

    expect(errors).toBeUndefined();
    expect(decodeURIComponent(calls[0]?.form ?? '')).toBe(form);
  });

  test.each([
    ['of one', [{ name: 'a', usernames: Array.from({ length: 130_000 }, () => 'u') }]],
    [
      'one by one',
      Array.from({ length: 20_000 }, () => ({ name: 'a', usernames: ['u'] })),
    ],
  ])('go out however many there are: %s', async (_what, reactions) => {
    const { calls, errors } = await updateMessage({ reactions });

    expect(errors).toBeUndefined();
    expect(calls[0]?.form.split('&').length).toBe(
      reactions.flatMap(({ usernames }) => usernames).length,
    );
  });
});

describe('attachments', () => {
  const deep = (levels: number): unknown =>
    levels === 0 ? 'x' : { a: deep(levels - 1) };

  test.each([
    ['an object', [{ url: 'https://media.example/a?b=c&d', name: 'x y' }]],
    ['nested objects and lists', [{ a: { b: [{ c: '1' }, { d: ['2', '3'] }] } }]],
    ['objects that a parser could run together', [{ x: '1' }, { y: '2' }, { x: '3' }]],
    ['plain text', ['one', 'two']],
    ['lists in lists', [['a', ['b']], ['c']]],
    ['more than twenty', Array.from({ length: 30 }, (_, i) => ({ n: `${i}` }))],
    ['keys of every kind', [{ 'a b': '1', 'ü👍': '2', 'a.b': '3', 'a&b=c': '4' }]],
    ['sixty-four levels', [deep(64)]],
  ])('arrive with the structure they were given: %s', async (_what, attachments) => {
    const { calls, errors } = await send({
      conversationId: 'c1',
      message: 'm',
      attachments,
    });

    expect(errors).toBeUndefined();
    expect(readBack(calls[0]?.form ?? '')).toMatchObject({ attachments });
  });

  test('travel as text where they are no text', async () => {
    const { calls } = await send({
      conversationId: 'c1',
      message: 'm',
      attachments: [
        { n: 1.5, yes: true, no: false, none: null, list: [], object: {} },
        7,
      ],
    });

    expect(readBack(calls[0]?.form ?? '')).toMatchObject({
      attachments: [
        { n: '1.5', yes: 'true', no: 'false', none: '', list: '', object: '' },
        '7',
      ],
    });
  });

  test('may be written into the operation itself', async () => {
    await using upstream = await startUpstream(() => ({ body: wireMessage('m1') }));
    await using gateway = await startTestGateway(upstream.url);

    await gateway.ask(
      'mutation { sendMessage(input: { conversationId: "c1", message: "m", attachments: [{ a: [1, true, "x"] }] }) { message { id } } }',
    );

    expect(readBack(upstream.calls[0]?.form ?? '')).toMatchObject({
      attachments: [{ a: ['1', 'true', 'x'] }],
    });
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
    'keep every digit of a number written into the operation: %s',
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
    'leave out a variable that is not given, and nothing else: %s',
    async (literal, form) => {
      expect(await sendLiteral(literal)).toBe(form);
    },
  );

  test.each([
    ['text', 'x', 'attachments[0][list][0]=x&attachments[0][url]=x'],
    ['null', null, 'attachments[0][list][0]=&attachments[0][url]='],
  ])('take a variable that is given as it is: %s', async (_what, u, form) => {
    expect(await sendLiteral('[{ list: [$u], url: $u }]', { u })).toBe(form);
  });

  test.each([
    ['many', Array.from({ length: 130_000 }, () => 'x')],
    ['one long list', [Array.from({ length: 130_000 }, () => 'x')]],
  ])('go out however many there are: %s', async (_what, attachments) => {
    const { calls, errors } = await updateMessage({ attachments });

    expect(errors).toBeUndefined();
    expect(calls[0]?.form.split('&').length).toBe(130_000);
  });

  test('may have keys that objects have by themselves', async () => {
    const attachments = [JSON.parse('{"__proto__":"1","constructor":{"prototype":"2"}}')];

    const { calls, errors } = await send({
      conversationId: 'c1',
      message: 'm',
      attachments,
    });

    expect(errors).toBeUndefined();
    expect(decodeURIComponent(calls[0]?.form ?? '')).toContain(
      'attachments[0][__proto__]=1&attachments[0][constructor][prototype]=2',
    );
  });

  test.each([
    ['null', null],
    ['an empty list', []],
  ])('are cleared by %s in an update', async (_what, attachments) => {
    const { calls } = await updateMessage({ attachments });

    expect(calls[0]?.form).toBe('attachments=');
  });

  test.each([
    ['null', null],
    ['an empty list', []],
  ])('are left out for %s when sending', async (_what, attachments) => {
    const { calls } = await send({ conversationId: 'c1', message: 'm', attachments });

    expect(calls[0]?.form).toBe('conversation_id=c1&message=m');
  });

  test.each([
    ['nested too deep', [deep(65)]],
    ['an empty key', [{ '': 1 }]],
    ['a key with [', [{ 'a[': 1 }]],
    ['a key with ]', [{ a: [{ ']': 1 }] }]],
    ['broken Unicode in a key', [{ '\udc00': 1 }]],
    ['broken Unicode in a value', [{ a: ['\udc00'] }]],
    ['a form beyond all bounds', [{ ['k'.repeat(300_000)]: Array(1000).fill(1) }]],
  ])('are refused before any call: %s', async (_what, attachments) => {
    const { calls, errors, data } = await updateMessage({ attachments });

    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(data).toEqual({ updateMessage: null });
    expect(calls).toEqual([]);
  });
});

describe('an update of a conversation', () => {
  test.each([
    [{ pinnedMessageId: 'm1' }, 'pinned_message_id=m1'],
    [{ pinnedMessageId: null }, 'pinned_message_id='],
    [{ isPinned: false, isMuted: true }, 'is_pinned=false&is_muted=true'],
    [{ archivedAt: 9007199254740991 }, 'archived_at=9007199254740991'],
    [{ archivedAt: 0 }, 'archived_at=0'],
    [{ archivedAt: null }, 'archived_at='],
  ])('%j goes out as %s', async (input, form) => {
    const { calls, errors } = await updateConversation(input);

    expect(errors).toBeUndefined();
    expect(calls[0]?.form).toBe(form);
  });
});

test.each([
  [{ contactId: 'u1', groupId: null }, 'contact_id=u1'],
  [{ groupId: 'g1' }, 'group_id=g1'],
  [{ contactId: 'u1', groupId: 'g1' }, 'contact_id=u1&group_id=g1'],
])('a conversation is created with %j as %s', async (input, form) => {
  const { calls, errors } = await createConversation(input);

  expect(errors).toBeUndefined();
  expect(calls[0]?.form).toBe(form);
});

describe('refused before any call', () => {
  test.each([
    [
      'a reaction without a name',
      () => updateMessage({ reactions: [{ name: '', usernames: ['x'] }] }),
    ],
    [
      'a reaction name with [',
      () => updateMessage({ reactions: [{ name: 'a[b', usernames: ['x'] }] }),
    ],
    [
      'a reaction name with ]',
      () => updateMessage({ reactions: [{ name: ']', usernames: [] }] }),
    ],
    ['null for a text', () => updateMessage({ message: null })],
    ['an update of no message field', () => updateMessage({})],
    ['null for isPinned', () => updateConversation({ isPinned: null })],
    ['null for isMuted', () => updateConversation({ isMuted: null, isPinned: true })],
    ['an update of no conversation field', () => updateConversation({})],
    ['an empty pinned message', () => updateConversation({ pinnedMessageId: '' })],
    ['a conversation with nobody', () => createConversation({})],
    [
      'a conversation with null and null',
      () => createConversation({ contactId: null, groupId: null }),
    ],
    ['a conversation with an empty contact', () => createConversation({ contactId: '' })],
    [
      'a message to an empty conversation',
      () => send({ conversationId: '', message: 'm' }),
    ],
  ])('%s', async (_what, attempt) => {
    const { calls, errors, data, status } = await attempt();

    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
    expect(Object.values(data)).toEqual([null]);
    expect(status).toBe(200);
    expect(calls).toEqual([]);
  });
});

describe('a mutation that makes no call', () => {
  const BAD =
    'updateMessage(input: { id: "m1", reactions: [{ name: "[", usernames: [] }] })';

  test('without a token does not look at what is to be written', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');

    const answer = await gateway.ask(`mutation { ${BAD} { message { id } } }`, {
      token: null,
    });

    expect(codes(answer)).toEqual({ updateMessage: 'UNAUTHENTICATED' });
  });

  test('because the time is up does not look at it either, and was not sent', async () => {
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
