import { expect, test } from 'vitest';
import { type AskOptions, askOnce, codes, startScripted } from '../support/gateway.ts';
import { createList } from '../support/list.ts';
import { numbered } from '../support/pager.ts';
import { wireConversation, wirePage } from '../support/wire.ts';

const OLDEST_FIRST = numbered(30);
const NEWEST_FIRST = OLDEST_FIRST.toReversed();
const timeOf = (id: string) => 1_700_000_000 + Number(id.slice(1));

/** The service has the conversations c1 and c2, each with these messages, of which m029 is the newest. */
function ask(
  query: string,
  ids: readonly string[],
  options: AskOptions & { readonly env?: Record<string, string> } = {},
) {
  const list = createList(ids, { timeOf });
  return askOnce(
    query,
    ({ line }) => {
      const url = line.slice('GET '.length);
      if (url.startsWith('/v1/messages')) return list.answer(url);
      const [, id] = /conversations\/(\w+)/.exec(url) ?? [];
      const all = [wireConversation('c1'), wireConversation('c2')];
      return { body: id ? wireConversation(id) : wirePage(all) };
    },
    options,
  );
}

const ofC1 = (fields: string) => `{ conversation(id: "c1") { ${fields} } }`;
const LATEST = 'latestMessage { id }';
const CONVERSATION = 'GET /v1/conversations/c1';
const messagesOf = (id: string, limit: number) =>
  `GET /v1/messages?conversation_id=${id}&limit=${limit}`;

test('the latest message of a conversation is one call', async () => {
  const { data, lines } = await ask(ofC1(LATEST), NEWEST_FIRST);

  expect(data.conversation.latestMessage).toEqual({ id: 'm029' });
  expect(lines).toEqual([CONVERSATION, messagesOf('c1', 10)]);
});

test.each([
  ['pinned', 'm003'],
  ['edited', 'm019'],
])(
  'it is the one that was created last, if the service lists one that was %s first',
  async (_, id) => {
    const others = NEWEST_FIRST.filter((other) => other !== id);
    const { data } = await ask(ofC1(LATEST), [id, ...others]);

    expect(data.conversation.latestMessage).toEqual({ id: 'm029' });
  },
);

test('a short conversation that seems to be in order shows nothing of others', async () => {
  const mixed = OLDEST_FIRST.map((_, index) => OLDEST_FIRST[(index * 7) % 30] ?? '');
  const lists = {
    c1: createList(['m003', 'm002', 'm001', 'm000'], { timeOf }),
    c2: createList(mixed, { timeOf }),
  };
  await using gateway = await startScripted(({ line }) => {
    const id = line.includes('c1') ? 'c1' : 'c2';
    if (!line.includes('/messages')) return { body: wireConversation(id) };
    return lists[id].answer(line.slice('GET '.length));
  });
  const page = (id: string) =>
    gateway.ask(
      `{ messages(conversationId: "${id}", first: 1, order: NEWEST_FIRST) { nodes { id } } }`,
    );

  expect((await page('c1')).data.messages.nodes).toEqual([{ id: 'm003' }]);
  expect(codes(await page('c2'))).toEqual({ messages: 'PAGE_OUT_OF_REACH' });
});

test('it is null in an empty conversation', async () => {
  const { data, errors } = await ask(ofC1(LATEST), []);

  expect(data.conversation.latestMessage).toBeNull();
  expect(errors).toBeUndefined();
});

test('it is null, with an error, where the service sent it malformed', async () => {
  const { data, errors } = await ask(ofC1(LATEST), ['!0', 'm028', 'm027']);

  expect(data.conversation.latestMessage).toBeNull();
  expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
    [['conversation', 'latestMessage'], 'UPSTREAM_INVALID_RESPONSE'],
  ]);
});

test.each([
  ['messages(first: 20, order: NEWEST_FIRST) { nodes { id } }', 20],
  ['page: messages(order: NEWEST_FIRST, first: 3) { nodes { id } }', 10],
  ['messages(order: NEWEST_FIRST) { nodes { id } }', 10],
  ['messages(first: 20) { nodes { id } }', 20],
  ['messages { nodes { id } }', 10],
])('beside a page that begins with it, it is no call: %s', async (page, limit) => {
  for (const fields of [`${LATEST} ${page}`, `${page} ${LATEST}`]) {
    const { data, lines } = await ask(ofC1(fields), NEWEST_FIRST);

    expect(data.conversation.latestMessage).toEqual({ id: 'm029' });
    expect(lines).toEqual([CONVERSATION, messagesOf('c1', limit)]);
  }
});

test('in a fragment at two places, beside a page at one of them, it makes no more calls than its price', async () => {
  const beside = 'messages(first: 20, order: NEWEST_FIRST) { nodes { id } }';
  const places = [
    `a: conversation(id: "c1") { ...F ${beside} }`,
    'b: conversation(id: "c2") { ...F }',
  ];
  for (const [fields, calls] of [
    [places, 4],
    [places.toReversed(), 5],
  ] as const) {
    const query = `{ ${fields.join(' ')} } fragment F on Conversation { ${LATEST} }`;
    const { data, errors, lines } = await ask(query, NEWEST_FIRST, {
      env: { MAX_REST_CALLS: String(calls) },
    });

    expect(errors).toBeUndefined();
    expect(data.b.latestMessage).toEqual({ id: 'm029' });
    expect(lines).toHaveLength(calls);
  }
});

test('the order that one conversation has shown holds for the next', async () => {
  const list = createList(OLDEST_FIRST, {
    timeOf,
    after: 'starting_after',
    before: 'ending_before',
  });
  const service = ({ line }: { readonly line: string }) =>
    line.includes('/messages')
      ? list.answer(line.slice('GET '.length))
      : { body: wireConversation('c1') };
  await using gateway = await startScripted(service, { PAGING: 'starting_after' });
  const page = (id: string, order: string) =>
    gateway.ask(
      `{ messages(conversationId: "${id}", first: 5, order: ${order}) { nodes { id } } }`,
    );
  await page('c1', 'NEWEST_FIRST');
  const before = gateway.service.lines().length;

  const { data } = await page('c2', 'NEWEST_FIRST');
  const calls = gateway.service.lines().length - before;
  const asListed = await page('c2', 'null');

  expect(data.messages.nodes[0]).toEqual({ id: 'm029' });
  expect(calls).toBeLessThan(before);
  expect(asListed.data.messages.nodes[0]).toEqual({ id: 'm000' });
});

test('of a conversation that the service does not know, there is no newest message', async () => {
  const { data, errors } = await askOnce(ofC1(LATEST), {
    [CONVERSATION]: wireConversation('c1'),
  });

  expect(data.conversation.latestMessage).toBeNull();
  expect(errors).toBeUndefined();
});

test('the inbox of two conversations is three calls', async () => {
  const inbox = `{ conversations(first: 2) { nodes { id hasNewActivity ${LATEST} } } }`;

  const { data, lines } = await ask(inbox, NEWEST_FIRST);

  const latestMessage = { id: 'm029' };
  expect(data.conversations.nodes).toEqual([
    { id: 'c1', hasNewActivity: false, latestMessage },
    { id: 'c2', hasNewActivity: false, latestMessage },
  ]);
  expect(lines.toSorted()).toEqual([
    'GET /v1/conversations?limit=2',
    messagesOf('c1', 10),
    messagesOf('c2', 10),
  ]);
});

test('its own conversation is the one above, without a call', async () => {
  const fields = 'latestMessage { id conversation { isMuted } }';

  const { data, lines } = await ask(ofC1(fields), NEWEST_FIRST);

  expect(data.conversation.latestMessage.conversation).toEqual({ isMuted: false });
  expect(lines).toHaveLength(2);
});

test('a page of all messages may be the newest first, too', async () => {
  const { data } = await ask(
    '{ messages(last: 2, order: NEWEST_FIRST) { nodes { id } pageInfo { hasNextPage hasPreviousPage } } }',
    OLDEST_FIRST,
  );

  expect(data.messages).toEqual({
    nodes: [{ id: 'm001' }, { id: 'm000' }],
    pageInfo: { hasNextPage: false, hasPreviousPage: true },
  });
});

test.each([
  [null, null, false],
  [5, null, true],
  [5, 4, true],
  [5, 5, false],
  [5, 6, false],
  [null, 6, false],
])(
  'active at %s and opened at %s, a conversation has new activity: %s',
  async (active, opened, expected) => {
    const times = { last_active_at: active, last_opened_at: opened };
    const { data, calls } = await askOnce(ofC1('hasNewActivity'), {
      [CONVERSATION]: wireConversation('c1', times),
    });

    expect(data.conversation.hasNewActivity).toBe(expected);
    expect(calls).toHaveLength(1);
  },
);
