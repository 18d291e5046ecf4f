import { expect, test } from 'vitest';
import { askOnce, startScripted } from '../support/gateway.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const ME = wireContact({ id: 'u1', username: 'ann' });
const BOB = wireContact({ id: 'u2', username: 'bob' });
const CARL = wireContact({ id: 'u3', username: 'carl' });

const mine = (id: string, change = {}) => wireMessage(id, { contact: ME, ...change });
const bobs = (id: string, change = {}) => wireMessage(id, { contact: BOB, ...change });
const carls = (id: string, change = {}) => wireMessage(id, { contact: CARL, ...change });

const WITH_BOB = wireConversation('c1', { last_opened_at: 1700000010 });
const GROUP = wireConversation('g1', { contact_id: null, group_id: 'choir' });
const inGroup = { conversation_id: 'g1' };

const GET = {
  c1: 'GET /v1/conversations/c1',
  conversations: 'GET /v1/conversations?limit=10',
  messages: 'GET /v1/messages?conversation_id=c1&limit=10',
};

/** The newest first. */
const TALK = [
  bobs('m5', { created_at: 1700000050 }),
  mine('m4', { created_at: 1700000040 }),
  bobs('m3', { created_at: 1700000030, reactions: [{ heart: ['ann'], seen: ['bob'] }] }),
  mine('m2', { created_at: 1700000010 }),
  bobs('m1', { created_at: 1700000000 }),
];

const SERVICE = {
  [GET.c1]: WITH_BOB,
  'GET /v1/conversations/g1': GROUP,
  'GET /v1/conversations': wirePage([GROUP, WITH_BOB]),
  'GET /v1/messages': wirePage(TALK),
  'GET /v1/messages/m2': TALK[3],
  'GET /v1/messages/m3': TALK[2],
  'GET /v1/messages/g1': carls('g1', inGroup),
  'GET /v1/messages/g2': mine('g2', inGroup),
  'POST /v1/messages': mine('m9'),
};

const SEND =
  'mutation { sendMessage(input: { conversationId: "c1", message: "hi" }) { message { isMine } } }';

test.each([
  ['of yours', 'm2', true],
  ['of the other contact', 'm3', false],
])(
  '`isMine` of a message %s in a conversation without a group costs one call',
  async (_, id, is) => {
    const { data, lines } = await askOnce(`{ message(id: "${id}") { isMine } }`, SERVICE);

    expect(data.message.isMine).toBe(is);
    expect(lines).toEqual([`GET /v1/messages/${id}`, GET.c1]);
  },
);

test('of the messages of a conversation, it is known without a call', async () => {
  const query =
    '{ conversation(id: "c1") { messages { nodes { id isMine reactions { name isMine } } } } }';
  const { data, lines } = await askOnce(query, SERVICE);

  const { nodes } = data.conversation.messages;
  const { reactions } = nodes[2];
  expect(
    nodes.flatMap(({ id, isMine }: Record<string, unknown>) => (isMine ? [id] : [])),
  ).toEqual(['m4', 'm2']);
  expect(reactions).toEqual([
    { name: 'heart', isMine: true },
    { name: 'seen', isMine: false },
  ]);
  expect(lines).toEqual([GET.c1, GET.messages]);
});

test('a reaction alone asks for the conversation, and finds your username in the page', async () => {
  const query =
    '{ messages(conversationId: "c1") { nodes { reactions { name isMine } } } }';
  const { data, lines } = await askOnce(query, SERVICE);

  expect(data.messages.nodes[2].reactions).toEqual([
    { name: 'heart', isMine: true },
    { name: 'seen', isMine: false },
  ]);
  expect(lines).toEqual([GET.messages, GET.c1]);
});

test('in a group it is null until something has shown who you are; then it costs nothing', async () => {
  await using gateway = await startScripted(SERVICE);
  const query = '{ a: message(id: "g1") { isMine } b: message(id: "g2") { isMine } }';

  const before = await gateway.ask(query);
  await gateway.ask(SEND);
  const calls = gateway.service.calls.length;
  const after = await gateway.ask(query);

  expect(before.data).toEqual({ a: { isMine: null }, b: { isMine: null } });
  expect(before.errors).toBeUndefined();
  expect(after.data).toEqual({ a: { isMine: false }, b: { isMine: true } });
  expect(gateway.service.calls.length - calls).toBe(2);
});

test('what one token has shown says nothing about another', async () => {
  await using gateway = await startScripted(SERVICE);

  await gateway.ask(SEND);
  const { data } = await gateway.ask('{ message(id: "g2") { isMine } }', {
    token: 'carl-token',
  });

  expect(data.message.isMine).toBeNull();
});

test('a reaction is yours under the name that you have now, and null where messages show two', async () => {
  let name = 'ann';
  const contact = () => ({ ...ME, username: name });
  const page = () =>
    wirePage([
      bobs('m3', { reactions: [{ heart: ['ann'] }] }),
      mine('m2', { contact: contact() }),
      ...(name === 'both' ? [mine('m1', { contact: { ...ME, username: 'ann' } })] : []),
    ]);
  await using gateway = await startScripted(({ line }) => {
    if (line.startsWith('GET /v1/messages?')) return { body: page() };
    return { body: line.startsWith('POST') ? mine('m9') : WITH_BOB };
  });
  const isMine = async () => {
    const { data } = await gateway.ask(
      '{ messages(conversationId: "c1") { nodes { reactions { isMine } } } }',
    );
    return data.messages.nodes[0].reactions[0].isMine;
  };

  const before = await isMine();
  name = 'anna';
  const renamed = await isMine();
  name = 'both';
  const unclear = await isMine();

  expect([before, renamed, unclear]).toEqual([true, false, null]);
});

test('a reaction to a message of which no other is read is known beside `viewer`', async () => {
  const query = '{ message(id: "m3") { reactions { isMine } } viewer { username } }';
  const { data } = await askOnce(query, SERVICE);

  expect(data.message.reactions).toEqual([{ isMine: true }, { isMine: false }]);
  expect(data.viewer.username).toBe('ann');
});

test('the caller is found in the conversations without a group', async () => {
  const { data, lines } = await askOnce('{ viewer { id username } }', SERVICE);

  expect(data.viewer).toEqual({ id: 'u1', username: 'ann' });
  expect(lines).toEqual([GET.conversations, GET.messages]);
});

test('`viewer` of a known caller is one call, and shows the present username', async () => {
  let username = 'ann';
  await using gateway = await startScripted(({ line }) => ({
    body: mine('m9', {
      contact: { ...ME, username: line.startsWith('POST') ? 'ann' : username },
    }),
  }));
  await gateway.ask(SEND);

  username = 'anna';
  const { data } = await gateway.ask('{ a: viewer { username } b: viewer { id } }');

  expect(data).toEqual({ a: { username: 'anna' }, b: { id: 'u1' } });
  expect(gateway.service.lines().slice(1)).toEqual(['GET /v1/messages/m9']);
});

test.each([400, 403, 404, 410])(
  'if the message that showed it is refused with %d, it is searched for again: three calls in all',
  async (status) => {
    await using gateway = await startScripted(({ line }) => {
      if (line === 'GET /v1/messages/m9') return { status };
      const [path = ''] = line.split('?');
      const body =
        (SERVICE as Record<string, unknown>)[line] ??
        (SERVICE as Record<string, unknown>)[path];
      return { body };
    });
    await gateway.ask(SEND);

    const { data } = await gateway.ask('{ viewer { id } }');

    expect(data.viewer).toEqual({ id: 'u1' });
    expect(gateway.service.lines().slice(1)).toEqual([
      'GET /v1/messages/m9',
      GET.conversations,
      GET.messages,
    ]);
  },
);

test('if the message that showed it is gone, another is to show it from then on', async () => {
  await using gateway = await startScripted({
    ...SERVICE,
    'POST /v1/messages': mine('m9', { created_at: 1800000000 }),
    'GET /v1/messages/m4': TALK[1],
  });
  await gateway.ask(SEND);
  await gateway.ask('{ viewer { id } }');
  const before = gateway.service.calls.length;

  const { data } = await gateway.ask('{ viewer { id } }');

  expect(data.viewer).toEqual({ id: 'u1' });
  expect(gateway.service.lines().slice(before)).toEqual(['GET /v1/messages/m4']);
});

test('a message of another conversation shows nothing, although the service lists it here', async () => {
  const foreign = carls('m7', { conversation_id: 'c7', created_at: 1700000060 });
  const { data } = await askOnce(
    '{ viewer { id } conversation(id: "c1") { unreadCount messages { nodes { id isMine } } } }',
    {
      'GET /v1/conversations/c1': WITH_BOB,
      'GET /v1/conversations': wirePage([WITH_BOB]),
      'GET /v1/messages': wirePage([foreign, bobs('m5', { created_at: 1700000050 })]),
      'GET /v1/conversations/c7': GROUP,
    },
    { env: { MAX_REST_CALLS: '20' } },
  );

  expect(data.viewer).toBeNull();
  expect(data.conversation.unreadCount).toBeNull();
});

test.each([
  ['there are only groups', [GROUP], 1],
  ['there are no conversations', [], 1],
  [
    'only others wrote in the two conversations that were active last',
    [
      wireConversation('c3', { last_active_at: 3 }),
      wireConversation('c1', { last_active_at: 1 }),
      wireConversation('c4', { last_active_at: 4 }),
    ],
    3,
  ],
])('it is null, without an error, if %s', async (_, conversations, calls) => {
  const { data, errors, lines } = await askOnce('{ viewer { id } }', {
    'GET /v1/conversations': wirePage(conversations),
    'GET /v1/messages?conversation_id=c1&limit=10': wirePage(TALK),
    'GET /v1/messages': wirePage([bobs('m1')]),
  });

  expect(data.viewer).toBeNull();
  expect(errors).toBeUndefined();
  expect(lines).toHaveLength(calls);
});

test('`viewer` without a token is UNAUTHENTICATED', async () => {
  const { codes } = await askOnce('{ viewer { id } }', SERVICE, { token: null });

  expect(codes).toEqual({ viewer: 'UNAUTHENTICATED' });
});

test('when a call fails, an error says why', async () => {
  const failed = await askOnce(
    '{ viewer { id } message(id: "m3") { isMine } }',
    { 'GET /v1/messages/m3': TALK[2] },
    { env: { REST_RETRIES: '0' } },
  );

  expect(failed.codes.viewer).toBe('UPSTREAM_ERROR');
  expect(failed.data.message).toEqual({ isMine: null });
});

test('what is read by id shows your username, too', async () => {
  await using gateway = await startScripted({
    ...SERVICE,
    'GET /v1/messages/m5': TALK[0],
    'GET /v1/messages/m4': TALK[1],
  });
  await gateway.ask(SEND);
  for (const page of ['', 'c: messages(conversationId: "c1") { nodes { id } }']) {
    const { data } = await gateway.ask(
      `{ a: message(id: "m4") { message } ${page} b: message(id: "m3") { id reactions { isMine } } }`,
    );
    // The three are read at once, so that it may not be known yet; never wrong.
    expect([
      [true, false],
      [null, null],
    ]).toContainEqual(data.b.reactions.map(({ isMine }: { isMine: unknown }) => isMine));
  }
});

test('beside `viewer`, `isMine` reads no conversation', async () => {
  const { data, lines, errors } = await askOnce(
    '{ message(id: "g2") { isMine } viewer { id } }',
    SERVICE,
  );

  expect(errors).toBeUndefined();
  expect(data.message.isMine).toBe(true);
  expect(lines.filter((line) => line.includes('conversations/'))).toEqual([]);
});

test('it is not known how many are unread, if one that was read may have taken the place of another', async () => {
  const at = (createdAt: number, id: string) => bobs(id, { created_at: createdAt });
  const opened = { ...WITH_BOB, last_opened_at: 100 };
  // The first one is pinned.
  const four = [50, 104, 103, 102, 101, 99, 98, 97, 96, 95];
  const many = [50, 110, 109, 108, 107, 106, 105, 104, 103, 102];
  for (const [times, atMost, hasMore, unread] of [
    [four, 1, true, 1],
    [four, 4, true, 4],
    [four, 10, true, 4],
    [many, 9, true, 9],
    [many, 10, true, null],
    [many, 10, false, 9],
  ] as const) {
    const list = times.map((time, index) => at(time, `x${index}`));
    const { data } = await askOnce(
      `{ conversation(id: "c1") { unreadCount(atMost: ${atMost}) } }`,
      {
        'GET /v1/conversations/c1': opened,
        'GET /v1/messages': wirePage(list, hasMore),
      },
      { env: { LIST_ORDER: 'newest' } },
    );
    expect(data.conversation.unreadCount).toBe(unread);
  }
});

const INBOX = 'contact { username } latestMessage { id } unreadCount hasNewActivity';

test('name, last message and unread messages of a conversation are one call', async () => {
  const { data, lines } = await askOnce(`{ conversations { nodes { ${INBOX} } } }`, {
    ...SERVICE,
    'GET /v1/conversations': wirePage([WITH_BOB]),
  });

  expect(data.conversations.nodes).toEqual([
    {
      contact: { username: 'bob' },
      latestMessage: { id: 'm5' },
      unreadCount: 2,
      hasNewActivity: false,
    },
  ]);
  expect(lines).toEqual([
    GET.conversations,
    'GET /v1/messages?conversation_id=c1&limit=20',
  ]);
});

test.each([
  ['unreadCount(atMost: 5)', [10], 2],
  ['unreadCount', [20], 2],
  ['unreadCount(atMost: null)', [20], 2],
  ['unreadCount(atMost: 5) latestMessage { id }', [10], 2],
  ['unreadCount messages(first: 30, order: NEWEST_FIRST) { nodes { id } }', [30], 2],
  ['unreadCount messages(first: 5, order: NEWEST_FIRST) { nodes { id } }', [20, 5], 2],
  [
    'unreadCount a: messages(first: 1, order: NEWEST_FIRST) { nodes { id } } b: messages(first: 50, order: NEWEST_FIRST) { nodes { id } }',
    [50, 1],
    2,
  ],
  ['unreadCount contact { id } messages(first: 1) { nodes { id } }', [20, 1], 2],
  ['unreadCount(atMost: 1) messages(order: NEWEST_FIRST) { nodes { id } }', [10], 1],
  ['unreadCount(atMost: 100) contact { id } latestMessage { id }', [100], 2],
])('how much of the list is read: %s', async (fields, limits, unread) => {
  const env = { LIST_ORDER: 'newest', MAX_REST_CALLS: String(1 + limits.length) };
  const { data, lines } = await askOnce(
    `{ conversation(id: "c1") { ${fields} } }`,
    SERVICE,
    { env },
  );

  expect(data.conversation.unreadCount).toBe(unread);
  // Two are sent at once, and may arrive in any order.
  const asked = lines.slice(1).map((line) => Number(/limit=(\d+)/.exec(line)?.[1]));
  expect(asked.toSorted()).toEqual(limits.toSorted());
});

test('without `atMost`, as many messages are looked at as a page may have', async () => {
  const { data, errors } = await askOnce(
    '{ conversation(id: "c1") { unreadCount } }',
    SERVICE,
    { env: { MAX_PAGE_SIZE: '10' } },
  );

  expect(errors).toBeUndefined();
  expect(data.conversation.unreadCount).toBe(2);
});

test.each([
  ['{ contact { username } unreadCount latestMessage { id } }', 'oldest first'],
  [
    '{ contact { username } unreadCount(atMost: 5) latestMessage { id } }',
    'newest first',
  ],
])('%s is the same over a service that lists the %s', async (fields, order) => {
  const talk = order === 'oldest first' ? TALK.toReversed() : TALK;
  const { data } = await askOnce(`{ conversation(id: "c1") ${fields} }`, {
    ...SERVICE,
    'GET /v1/messages': wirePage(talk),
  });

  expect(data.conversation).toEqual({
    contact: { username: 'bob' },
    unreadCount: 2,
    latestMessage: { id: 'm5' },
  });
});

test.each([0, -1, 101])('`atMost: %d` is refused by its name', async (atMost) => {
  const query = `{ conversation(id: "c1") { unreadCount(atMost: ${atMost}) latestMessage { id } } }`;
  const { error, codes, data } = await askOnce(query, SERVICE);

  expect(codes).toEqual({ 'conversation.unreadCount': 'BAD_USER_INPUT' });
  expect(error?.message).toContain('`atMost` takes 1 to 100');
  expect(data.conversation.latestMessage).toEqual({ id: 'm5' });
});

test.each<[when: string, conversation: object, talk: object[], unread: number | null]>([
  ['it was never opened', { last_opened_at: null }, TALK, 3],
  ['it is empty', {}, [], 0],
  ['you wrote all that is new', {}, [mine('m4', { created_at: 1700000040 })], 0],
  [
    'a new message came in a group, and it is not known who you are',
    { contact_id: null, group_id: 'choir' },
    TALK,
    null,
  ],
  [
    'nothing is new in a group',
    { contact_id: null, group_id: 'choir', last_opened_at: 1700000050 },
    TALK,
    0,
  ],
  ['one of the newest is malformed', {}, [...TALK, { id: 'm0' }], null],
])('the unread messages are counted when %s', async (_, change, talk, unread) => {
  const { data, errors } = await askOnce('{ conversation(id: "c1") { unreadCount } }', {
    [GET.c1]: { ...WITH_BOB, ...change },
    'GET /v1/messages': wirePage(talk),
  });

  expect(data.conversation.unreadCount).toBe(unread);
  expect(errors).toBeUndefined();
});

test('`contact` is the same beside a short page', async () => {
  const talk = [mine('m9', { created_at: 1700000060 }), ...TALK];
  for (const beside of ['', 'messages(first: 1) { nodes { id } }', 'unreadCount']) {
    const { data } = await askOnce(
      `{ conversation(id: "c1") { contact { username } ${beside} } }`,
      { ...SERVICE, 'GET /v1/messages': wirePage(talk) },
    );

    expect(data.conversation.contact).toEqual({ username: 'bob' });
  }
});

test.each<[when: string, conversation: object, talk: object[], contact: object | null]>([
  ['in a group', { group_id: 'choir' }, TALK, null],
  ['where only you wrote', {}, [mine('m4')], null],
  ['where it wrote', {}, TALK, { id: 'u2', username: 'bob' }],
  [
    'as its newest message shows it',
    {},
    [
      bobs('m2', { created_at: 1700000050, contact: { ...BOB, username: 'robert' } }),
      bobs('m1', { created_at: 1700000040 }),
    ],
    { id: 'u2', username: 'robert' },
  ],
  [
    'where a message is malformed',
    {},
    [{ id: 'm6' }, ...TALK],
    { id: 'u2', username: 'bob' },
  ],
])('`contact` %s', async (_, change, talk, contact) => {
  const { data, errors, lines } = await askOnce(
    '{ conversation(id: "c1") { contact { id username } } }',
    { [GET.c1]: { ...WITH_BOB, ...change }, 'GET /v1/messages': wirePage(talk) },
  );

  expect(data.conversation.contact).toEqual(contact);
  expect(errors).toBeUndefined();
  expect(lines).toHaveLength('group_id' in change ? 1 : 2);
});
