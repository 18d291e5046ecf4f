import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { HASH_LENGTH } from '../../src/live/snapshot.ts';
import { codes, startScripted } from '../support/gateway.ts';
import { LONGEST, NO_POLLS, nextAnswer, startLiveWorld } from '../support/live.ts';
import { openSocket } from '../support/socket.ts';
import { subscribe } from '../support/subscribe.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const RESUMABLE = `subscription ($from: String) {
  messageChanged(conversationId: "c1", resumeFrom: $from) { kind messageId resumeToken }
}`;
const ALL = `subscription ($from: String) {
  messageChanged(resumeFrom: $from) { kind messageId conversationId resumeToken }
}`;
const CONVERSATIONS = `subscription ($from: String) {
  conversationChanged(resumeFrom: $from) { kind conversationId resumeToken }
}`;

/** A service with one list of messages, the newest first, of which it shows ten. */
async function startList() {
  const list = [wireMessage('m1', { created_at: 1 })];
  const replica = () =>
    startScripted(
      ({ line }) =>
        line.startsWith('GET /v1/conversations')
          ? { body: wirePage([wireConversation('c1')]) }
          : { body: wirePage(list.slice(0, 10), list.length > 10) },
      { LIVE_POLL_MS: '100' },
    );
  return {
    list,
    replica,
    add(...ids: string[]) {
      for (const id of ids)
        list.unshift(wireMessage(id, { created_at: list.length + 1 }));
    },
  };
}

/** What came, `+m2`, and the token of the last one. */
async function take(live: Awaited<ReturnType<typeof subscribe>>, count: number) {
  const events: string[] = [];
  let token = '';
  for (let index = 0; index < count; index += 1) {
    const { messageChanged } = (await live.next())?.data ?? {};
    events.push(`${messageChanged.kind} ${messageChanged.messageId}`);
    token = messageChanged.resumeToken;
  }
  return { events, token };
}

test('a client that comes back to another replica gets what it missed, once, in the order of the list', async () => {
  const { list, add, replica } = await startList();
  await using one = await replica();
  await using other = await replica();
  let token: string;
  {
    await using live = await subscribe(one.url, RESUMABLE);
    add('m2');
    ({ token } = await take(live, 1));
  }
  list.pop();
  list[0] = wireMessage('m2', { created_at: 2, message: 'edited' });
  add('m3', 'm4');
  await using live = await subscribe(other.url, RESUMABLE, {
    variables: { from: token },
  });

  expect((await take(live, 4)).events).toEqual([
    'CREATED m4',
    'CREATED m3',
    'UPDATED m2',
    'DELETED m1',
  ]);
  add('m5');
  expect((await take(live, 1)).events).toEqual(['CREATED m5']);
});

/** The token of the event that m2 was created. */
async function tokenOfM2({ url }: { readonly url: string }, add: (id: string) => void) {
  await using live = await subscribe(url, RESUMABLE);
  add('m2');
  return (await take(live, 1)).token;
}

test('each event of one poll has a token of its own', async () => {
  const { add, replica } = await startList();
  await using gateway = await replica();
  let tokens: string[];
  {
    await using live = await subscribe(gateway.url, RESUMABLE);
    add('m2', 'm3', 'm4');
    tokens = [await take(live, 1), await take(live, 1), await take(live, 1)].map(
      ({ token }) => token,
    );
  }
  for (const [index, expected] of [
    ['CREATED m3', 'CREATED m2', 'CREATED m5'],
    ['CREATED m2', 'CREATED m5'],
    ['CREATED m5'],
  ].entries()) {
    await using live = await subscribe(gateway.url, RESUMABLE, {
      variables: { from: tokens[index] },
    });
    if (index === 0) add('m5');
    const { events } = await take(live, expected.length);
    expect(events.toSorted()).toEqual(expected.toSorted());
  }
});

test('the messages of all conversations, and conversations, go on too', async () => {
  await using world = await startLiveWorld({}, NO_POLLS);
  const send = (text: string) =>
    world.ask(
      `mutation { sendMessage(input: { conversationId: "${LONGEST}", message: "${text}" }) { message { id } } }`,
    );
  const from: Record<string, string> = {};
  {
    await using messages = await world.subscribe(ALL);
    await using conversations = await world.subscribe(CONVERSATIONS);
    await send('one');
    from.messages = (await messages.next())?.data.messageChanged.resumeToken;
    from.conversations = (
      await conversations.next()
    )?.data.conversationChanged.resumeToken;
  }
  const { data } = await send('two');
  const { id } = data.sendMessage.message;
  // Its times are in seconds, and may not show the message.
  await world.ask(
    `mutation { updateConversation(input: { id: "${LONGEST}", isMuted: true }) { conversation { id } } }`,
  );
  await using messages = await world.subscribe(ALL, { from: from.messages });
  await using conversations = await world.subscribe(CONVERSATIONS, {
    from: from.conversations,
  });

  expect((await messages.next())?.data.messageChanged).toMatchObject({
    kind: 'CREATED',
    messageId: id,
    conversationId: LONGEST,
  });
  expect((await conversations.next())?.data.conversationChanged).toMatchObject({
    kind: 'UPDATED',
    conversationId: LONGEST,
  });
  await world.ask(
    `mutation { deleteMessage(input: { id: "${id}" }) { deletedMessageId } }`,
  );
  expect((await messages.next())?.data.messageChanged).toMatchObject({
    kind: 'DELETED',
    messageId: id,
    conversationId: LONGEST,
  });
});

test('over server-sent events, the token is the id of the event, and Last-Event-ID goes on from it', async () => {
  const { add, replica } = await startList();
  await using gateway = await replica();
  const query =
    'subscription { messageChanged(conversationId: "c1") { messageId resumeToken } }';
  let id: string | undefined;
  {
    await using live = await subscribe(gateway.url, query);
    add('m2');
    const { token } = await take(live, 1);
    [id] = live.ids;
    expect(id).toBe(token);
  }
  add('m3');
  await using live = await subscribe(gateway.url, query, {
    headers: { 'last-event-id': String(id) },
  });
  expect((await live.next())?.data.messageChanged.messageId).toBe('m3');
});

test('Last-Event-ID is newer than the `resumeFrom` of the first request', async () => {
  const { add, replica } = await startList();
  await using gateway = await replica();
  const from = await tokenOfM2(gateway, add);
  let id: string | undefined;
  {
    await using live = await subscribe(gateway.url, RESUMABLE, { variables: { from } });
    add('m3');
    await take(live, 1);
    id = live.ids.at(-1);
  }
  add('m4');
  await using live = await subscribe(gateway.url, RESUMABLE, {
    variables: { from },
    headers: { 'last-event-id': String(id) },
  });

  expect((await take(live, 1)).events).toEqual(['CREATED m4']);
  add('m5');
  expect((await take(live, 1)).events).toEqual(['CREATED m5']);
});

test('a token that is too long for a header is no id, and the one before it is none any more', async () => {
  const { add, replica } = await startList();
  await using gateway = await replica();
  await using live = await subscribe(gateway.url, RESUMABLE);
  add('m2', ...Array.from({ length: 8 }, (_, index) => `${index}`.repeat(900)));
  const { token } = await take(live, 9);

  expect(token.length).toBeGreaterThan(8192);
  expect(live.ids.at(-1)).toBe('');
});

test('over a WebSocket it goes on too', async () => {
  const { add, replica } = await startList();
  await using gateway = await replica();
  using socket = await openSocket(gateway.url);
  socket.subscribe('1', RESUMABLE);
  await expect.poll(() => gateway.service.calls.length).toBeGreaterThan(0);
  add('m2');
  const first = (await socket.next())?.payload.data.messageChanged;
  socket.send({ id: '1', type: 'complete' });
  add('m3');
  socket.subscribe('2', RESUMABLE, { from: first.resumeToken });

  expect((await socket.next())?.payload.data.messageChanged.messageId).toBe('m3');
});

test('who does not select the token is sent no id, and keeps nothing for it', async () => {
  const { add, replica } = await startList();
  await using gateway = await replica();
  await using live = await subscribe(
    gateway.url,
    'subscription ($with: Boolean = false) { messageChanged(conversationId: "c1") { messageId resumeToken @include(if: $with) } }',
  );
  add('m2');
  expect((await live.next())?.data.messageChanged).toEqual({ messageId: 'm2' });
  expect(live.ids).toEqual([]);
});

test('if more has changed than the newest items show, the client is told to read again', async () => {
  const { add, replica } = await startList();
  await using gateway = await replica();
  const token = await tokenOfM2(gateway, add);
  add(...Array.from({ length: 12 }, (_, index) => `x${index}`));
  await using live = await subscribe(gateway.url, RESUMABLE, {
    variables: { from: token },
  });

  const { data, errors } = await nextAnswer(live);
  expect(data).toBeUndefined();
  expect(errors?.[0]?.extensions.code).toBe('PAGE_OUT_OF_REACH');
  expect(errors?.[0]?.message).toContain('read the list again');
});

/** With some parts replaced, and a valid checksum. */
function forge(token: string, replaced: Record<number, unknown>) {
  const parts = JSON.parse(Buffer.from(token, 'base64url').toString()).slice(0, -1);
  Object.assign(parts, replaced);
  const text = JSON.stringify([...parts, crc32(JSON.stringify(parts))]);
  return { query: RESUMABLE, from: Buffer.from(text).toString('base64url') };
}

// security: forged-resume-token
test.each([
  ['of another list', (token: string) => ({ query: ALL, from: token })],
  ['that was cut', (token: string) => ({ query: RESUMABLE, from: token.slice(0, -4) })],
  [
    'that was altered',
    (token: string) => {
      const text = Buffer.from(token, 'base64url').toString().replace('m2', 'mX');
      return { query: RESUMABLE, from: Buffer.from(text).toString('base64url') };
    },
  ],
  ['that is none', () => ({ query: RESUMABLE, from: 'x' })],
  ['that is JSON of another kind', () => ({ query: RESUMABLE, from: 'W10' })],
  [
    'with lists in lists without end',
    (token: string) => {
      const lists = `${'['.repeat(90_000)}${']'.repeat(90_000)}`;
      const parts = Buffer.from(token, 'base64url').toString().slice(0, -1);
      const text = `${parts},${lists},5]`;
      return { query: RESUMABLE, from: Buffer.from(text).toString('base64url') };
    },
  ],
  ['with a hash too few', (token: string) => forge(token, { 5: '' })],
  [
    'with an item that belongs to nothing',
    (token: string) => forge(token, { 6: [null] }),
  ],
  ['without what its items belong to', (token: string) => forge(token, { 6: [] })],
  [
    'with an item of an owner that it does not have',
    (token: string) => forge(token, { 6: ['c1', 'c2'], 7: [0, 2] }),
  ],
])('a token %s is refused without a call', async (_, alter) => {
  const { add, replica } = await startList();
  await using gateway = await replica();
  const token = await tokenOfM2(gateway, add);
  await using other = await replica();
  const { query, from } = alter(token);
  await using live = await subscribe(other.url, query, { variables: { from } });

  expect(codes(await nextAnswer(live))).toEqual({ messageChanged: 'BAD_USER_INPUT' });
  expect(other.service.calls).toEqual([]);
});

test('a token that is too long for its bound is out of reach', async () => {
  const { replica } = await startList();
  await using gateway = await replica();
  const variables = { from: 'A'.repeat(300_000) };
  await using live = await subscribe(gateway.url, RESUMABLE, { variables });

  expect(codes(await nextAnswer(live))).toEqual({ messageChanged: 'PAGE_OUT_OF_REACH' });
  expect(gateway.service.calls).toEqual([]);
});

// security: long-resume-token
test.each([
  ['more items than a thousand', 1001, 0],
  ['more deleted items than a hundred', 101, 1],
])(
  'a token of %s is refused with its first call: each could become an event',
  async (_, length, calls) => {
    const { add, replica } = await startList();
    await using gateway = await replica();
    const token = await tokenOfM2(gateway, add);
    const ids = Array.from({ length }, (_, index) => `${index}`);
    const variables = forge(token, { 4: ids, 5: 'x'.repeat(HASH_LENGTH * length) });
    await using other = await replica();
    await using live = await subscribe(other.url, RESUMABLE, { variables });

    expect(codes(await nextAnswer(live))).toEqual({
      messageChanged: 'PAGE_OUT_OF_REACH',
    });
    expect(other.service.calls).toHaveLength(calls);
  },
);

test('whoever gives the token of another sees what their own token shows, and nothing else', async () => {
  const lists: Record<string, object[]> = {
    'Bearer ann-token': [wireMessage('a1')],
    'Bearer ben-token': [wireMessage('b1')],
  };
  await using gateway = await startScripted(
    ({ token }) => ({ body: wirePage(lists[String(token)] ?? []) }),
    { LIVE_POLL_MS: '100' },
  );
  let token: string;
  {
    await using live = await subscribe(gateway.url, RESUMABLE);
    lists['Bearer ann-token']?.unshift(wireMessage('a2', { created_at: 1700000009 }));
    ({ token } = await take(live, 1));
  }
  await using live = await subscribe(gateway.url, RESUMABLE, {
    token: 'ben-token',
    variables: { from: token },
  });

  const { events } = await take(live, 3);
  expect(events.toSorted()).toEqual(['CREATED b1', 'DELETED a1', 'DELETED a2']);
});
