import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  ANSWER_LOST,
  type ChatOptions,
  REQUEST_LOST,
  sendAs,
  startChat,
} from '../support/chat.ts';
import { subscribe } from '../support/subscribe.ts';
import { type Mutation, write } from '../support/write.ts';

const UNREACHABLE = 'UPSTREAM_UNREACHABLE?';
const UNKNOWN = 'UPSTREAM_TIMEOUT?';

// `addReaction` needs a service that keeps reactions: test/trust/fuzz-mutations.test.ts tries it.
test.each<[Mutation, input: object]>([
  ['sendMessage', {}],
  ['updateMessage', { message: 'x' }],
  ['removeReaction', {}],
  ['deleteMessage', {}],
  ['createConversation', { contactId: 'u1' }],
  ['updateConversation', { isMuted: true }],
  ['deleteConversation', {}],
])(
  '%s repeats its key, and refuses one that is empty or too long',
  async (mutation, input) => {
    const ask = (clientMutationId: string | null) =>
      write(mutation, { ...input, clientMutationId }, 'clientMutationId');

    for (const id of ['k', 'x'.repeat(128), null])
      expect((await ask(id)).data[mutation]).toEqual({ clientMutationId: id });
    for (const id of ['', 'x'.repeat(129)]) {
      const { codes, calls } = await ask(id);
      expect(codes).toEqual({ [mutation]: 'BAD_USER_INPUT' });
      expect(calls).toEqual([]);
    }
  },
);

describe('a message with a key', () => {
  test('is sent once, if it is asked for twenty times at once', async () => {
    await using chat = await startChat({ delayMs: 50 });

    const ids = await Promise.all(Array.from({ length: 20 }, () => chat.send('k')));

    expect(new Set(ids)).toEqual(new Set(['m12']));
    expect(chat.service.lines()).toEqual(['POST /v1/messages']);
  });

  test('is sent once, if it is asked for again later', async () => {
    await using chat = await startChat();
    const query = sendAs('k', 'hi', 'attachments: [{ a: [1, 2] }]');

    const answers = [await chat.ask(query), await chat.ask(query)];
    const twice = await chat.ask(
      query.replace(/\{ sendMessage(.*)\}/s, '{ a: sendMessage$1 b: sendMessage$1 }'),
    );

    const { sendMessage } = answers[0]?.data ?? {};
    expect(sendMessage).toEqual({
      clientMutationId: 'k',
      message: { id: 'm12', message: 'hi' },
    });
    expect(answers[1]?.data.sendMessage).toEqual(sendMessage);
    expect(twice.data).toEqual({ a: sendMessage, b: sendMessage });
    expect(chat.service.lines()).toEqual(['POST /v1/messages']);
  });

  test('is read again, if it is too long to be kept', async () => {
    await using chat = await startChat();
    const long = 'x'.repeat(40_000);

    expect([await chat.send('k', long), await chat.send('k', long)]).toEqual([
      'm12',
      'm12',
    ]);
    expect(chat.service.lines()).toEqual(['POST /v1/messages', 'GET /v1/messages/m12']);
  });

  // security: key-of-another
  test('of another caller is another message', async () => {
    await using chat = await startChat({ delayMs: 20 });
    const send = (token: string) => chat.send('k', 'hi', { token });

    const ids = await Promise.all([
      send('ann-token'),
      send('bob-token'),
      send('ann-token'),
    ]);

    expect(ids[0]).toBe(ids[2]);
    expect(new Set(ids).size).toBe(2);
    expect(new Set(chat.service.calls.map(({ token }) => token)).size).toBe(2);
    expect(chat.posts()).toBe(2);
  });

  test.each([
    ['while the first is under way', true],
    ['after it', false],
  ])('is refused with other content, %s', async (_, isUnderWay) => {
    await using chat = await startChat({ delayMs: 400 });
    const first = chat.send('k');
    if (isUnderWay) await expect.poll(chat.posts).toBe(1);
    else await first;

    const others = [sendAs('k', 'ho'), sendAs('k', 'hi', 'attachments: ["a"]')];
    for (const query of [...others, sendAs('k').replace('"c1"', '"c2"')])
      expect((await chat.ask(query)).errors?.[0]?.extensions).toEqual({
        code: 'BAD_USER_INPUT',
      });

    expect(await first).toBe('m12');
    expect(chat.posts()).toBe(1);
  });

  test('with a variable that is null is refused', async () => {
    await using chat = await startChat();
    const query =
      'mutation ($id: ID!) { sendMessage(input: { conversationId: $id, message: "x", clientMutationId: "k" }) { message { id } } }';

    for (const text of [query, query.replace('ID!', 'ID = "c1"')]) {
      const { errors } = await chat.ask(text, { variables: { id: null } });
      expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    }
    expect(chat.posts()).toBe(0);
  });

  test('is sent again after a refusal', async () => {
    const refused = { isStored: false, answer: { status: 422, body: {} } };
    await using chat = await startChat({ faults: [refused] });

    expect(await chat.send('k')).toBe('BAD_USER_INPUT');
    expect(await chat.send('k', 'better')).toBe('m12');
    expect(chat.texts()).toEqual(['better']);
  });

  test('costs what one without a key costs', async () => {
    await using chat = await startChat({}, { LIST_ORDER: 'newest' });
    const ask = (key: string | null) =>
      chat.ask(sendAs(key), { extensions: { cost: true } });

    const costs = [await ask(null), await ask('k'), await ask('k')];

    expect(costs.map(({ extensions }) => extensions.cost)).toMatchObject([
      { estimated: 1, actual: 1 },
      { estimated: 3, actual: 1 },
      { estimated: 3, actual: 0 },
    ]);
  });
});

describe('after an answer that did not come', () => {
  test.each<[string, ChatOptions]>([
    ['in a list with the newest first', {}],
    ['in a list with the oldest first', { order: 'oldest' }],
  ])('the message is found, %s', async (_, options) => {
    await using chat = await startChat({ ...options, faults: [ANSWER_LOST] });

    expect([await chat.send('k'), await chat.send('k')]).toEqual(['m12', 'm12']);
    expect(chat.texts()).toEqual(['hi']);
    expect(chat.posts()).toBe(1);
  });

  test('a message that is not there is sent when it is asked for again', async () => {
    await using chat = await startChat({ faults: [REQUEST_LOST, REQUEST_LOST] });

    expect(await chat.send('k')).toBe(UNREACHABLE);
    chat.add('hi', chat.bob);
    expect([await chat.send('k'), await chat.send('k')]).toEqual([UNREACHABLE, 'm13']);
    expect(chat.texts()).toEqual(['hi', 'hi']);
  });

  test('the key is free again, if the message is not there and the service refuses the next attempt', async () => {
    const refused = { isStored: false, answer: { status: 422, body: {} } };
    await using chat = await startChat({ faults: [REQUEST_LOST, refused] });

    const codes = [await chat.send('k'), await chat.send('k')];

    expect(codes).toEqual([UNREACHABLE, 'BAD_USER_INPUT']);
    expect(await chat.send('k', 'better')).toBe('m12');
    expect(chat.texts()).toEqual(['better']);
  });

  test('a message that was not shown yet is found when it is asked for again', async () => {
    await using chat = await startChat({ faults: [REQUEST_LOST] });

    expect(await chat.send('k')).toBe(UNREACHABLE);
    chat.add('hi');

    expect(await chat.send('k')).toBe('m12');
    expect(chat.posts()).toBe(1);
  });

  // Each of them would be sent twice, or another one taken for it.
  test.each<[string, ChatOptions]>([
    ['there is no clock', { date: null }],
    ['the clock of the messages is ahead', { aheadBy: 60 }],
    ['the clock of the messages is behind', { aheadBy: -60 }],
    ['the list is in no order', { order: 'mixed' }],
    ['the service has changed the text', { toText: (text) => `${text}!` }],
  ])(
    'it is not known whether a message is there, if %s: nothing is sent again',
    async (_, options) => {
      await using chat = await startChat({ ...options, faults: [ANSWER_LOST] });

      expect(await chat.send('k')).toBe(UNREACHABLE);
      const { errors } = await chat.ask(sendAs('k'));

      expect(errors?.[0]?.extensions).toEqual({
        code: 'UPSTREAM_TIMEOUT',
        outcome: 'unknown',
      });
      expect(errors?.[0]?.message).toContain('send it with a new `clientMutationId`');
      expect(chat.posts()).toBe(1);
    },
  );

  test.each([
    ['other attachments is not', 'other', UNKNOWN],
    ['the same attachments is', 'own', 'm12'],
  ])('a message of the same text with %s taken for it', async (_, url, found) => {
    await using chat = await startChat({ faults: [REQUEST_LOST] });
    const send = () => chat.send('k', '', {}, 'attachments: [{ url: "own" }]');

    expect(await send()).toBe(UNREACHABLE);
    chat.add('', chat.ann, [{ url }]);

    expect(await send()).toBe(found);
    expect(chat.posts()).toBe(1);
  });

  test('neither of two messages of the same text is taken for one that may be the other', async () => {
    await using chat = await startChat({
      delayMs: 400,
      faults: [ANSWER_LOST, REQUEST_LOST],
    });

    const both = await Promise.all([chat.send('a'), chat.send('b')]);

    expect(both).toEqual([UNREACHABLE, UNREACHABLE]);
    expect([await chat.send('a'), await chat.send('b')]).toEqual([UNKNOWN, UNKNOWN]);
    expect(chat.posts()).toBe(2);
  });

  test('a message of the same text that has another key is not taken for it', async () => {
    await using chat = await startChat({ faults: [null, REQUEST_LOST] });

    expect(await chat.send('a')).toBe('m12');
    expect([await chat.send('b'), await chat.send('b')]).toEqual([UNREACHABLE, 'm13']);
  });

  test('it is not known whether a message is there, if more than a page came since', async () => {
    await using chat = await startChat({ faults: [REQUEST_LOST] });

    expect(await chat.send('k')).toBe(UNREACHABLE);
    for (let count = 0; count < 10; count += 1) chat.add('hello', chat.bob);

    expect(await chat.send('k')).toBe(UNKNOWN);
    expect(chat.posts()).toBe(1);
  });

  test('nothing is looked for if MAX_REST_CALLS leaves no call', async () => {
    await using chat = await startChat(
      { faults: [ANSWER_LOST] },
      { MAX_REST_CALLS: '1' },
    );

    expect([await chat.send('k'), await chat.send('k')]).toEqual([UNREACHABLE, UNKNOWN]);
    expect(chat.service.lines()).toEqual(['POST /v1/messages']);
  });
});

test('who waits for a message gets it, although the first client has left and the answer is lost', async () => {
  await using chat = await startChat({ delayMs: 300, faults: [null, ANSWER_LOST] });
  await chat.send('before', 'to show who the caller is');
  const leaving = new AbortController();
  const first = chat.send('k', 'hi', { signal: leaving.signal });
  await expect.poll(chat.posts).toBe(2);
  const second = chat.send('k');
  leaving.abort();
  await expect(first).rejects.toThrow();

  expect(await second).toBe('m13');
  expect(chat.posts()).toBe(2);
});

test('a message goes on when the time of its operation is up: to ask again waits for it', async () => {
  const settings = { OPERATION_TIMEOUT_MS: '1000', REST_TIMEOUT_MS: '5000' };
  await using chat = await startChat({ delayMs: 2400 }, settings);
  const { errors } = await chat.ask(sendAs('k'));

  expect(errors?.[0]?.message).toContain('again with the same `clientMutationId`');
  expect([await chat.send('k'), await chat.send('k')]).toEqual([UNKNOWN, 'm12']);
  expect(chat.texts()).toEqual(['hi']);
});

describe('with the connection cut', () => {
  test('between client and gateway, at each moment of the write, one message is there, and the retry gets it', async () => {
    await using chat = await startChat({ delayMs: 60 });
    const moments = Array.from({ length: 40 }, (_, index) => index * 2);

    const ids = await Promise.all(
      moments.map(async (ms) => {
        const cut = chat.send(`${ms}`, `${ms}`, { signal: AbortSignal.timeout(ms) });
        const isCut = await cut.then(
          () => false,
          () => true,
        );
        return { isCut, id: await chat.send(`${ms}`, `${ms}`) };
      }),
    );

    expect(chat.texts().toSorted()).toEqual(moments.map(String).toSorted());
    expect(new Set(ids.map(({ id }) => id)).size).toBe(moments.length);
    expect(ids.filter(({ isCut }) => isCut).length).toBeGreaterThan(10);
  });

  test.each([
    ['stored', true],
    ['not stored', false],
  ])(
    'between gateway and service, after each byte of the answer, one message is there that was %s',
    async (_, isStored) => {
      const answer = `HTTP/1.1 500 Oh\r\nContent-Length: 9\r\n\r\n{"oh": 1}`;
      // More failures would open the circuit.
      const cuts = Array.from({ length: 9 }, (_, index) =>
        Math.round((answer.length * index) / 8),
      );
      const toFault = (bytes: number) => ({
        isStored,
        answer: {
          write: async ({ socket }: ServerResponse) =>
            void socket?.end(answer.slice(0, bytes)),
        },
      });
      const faults = cuts.flatMap((bytes) =>
        isStored ? [toFault(bytes)] : [toFault(bytes), null],
      );
      await using chat = await startChat({ faults });

      for (const bytes of cuts) {
        const first = await chat.send(`${bytes}`, `${bytes}`);
        const id = isStored ? first : await chat.send(`${bytes}`, `${bytes}`);
        expect(id, `after ${bytes} bytes`).toMatch(/^m\d+$/);
        if (!isStored) expect(first).toMatch(/\?$/);
      }

      expect(chat.texts()).toEqual(cuts.map(String));
    },
  );
});

describe('the event of a message', () => {
  const CHANGES =
    'subscription { messageChanged(conversationId: "c1") { kind clientMutationId message { id message } } }';
  const eventOf = async (live: Awaited<ReturnType<typeof subscribe>>) =>
    (await live.next())?.data.messageChanged;

  test('carries the key to the sender, and to nobody else', async () => {
    await using chat = await startChat({}, { LIVE_POLL_MS: '100' });
    await using own = await subscribe(chat.url, CHANGES);
    await using other = await subscribe(chat.url, CHANGES, { token: 'bob-token' });

    await chat.send('k');
    await chat.send(null, 'ho');

    const events = [await eventOf(own), await eventOf(own)];
    const keys = events.map(({ clientMutationId, message }) => [
      message.message,
      clientMutationId,
    ]);
    expect(Object.fromEntries(keys)).toEqual({ hi: 'k', ho: null });
    expect((await eventOf(other)).clientMutationId).toBeNull();
  });

  test('comes of one read of the list, and to ask for the message again makes no call', async () => {
    await using chat = await startChat({}, { LIVE_POLL_MS: '100000' });
    await using own = await subscribe(chat.url, CHANGES);
    await expect.poll(chat.reads).toBe(1);

    await chat.send('a');
    expect((await eventOf(own)).clientMutationId).toBe('a');
    for (const key of ['a', 'a', 'b']) await chat.send(key);
    expect((await eventOf(own)).clientMutationId).toBe('b');

    expect([chat.posts(), chat.reads()]).toEqual([2, 3]);
  });

  test('of somebody else waits for no write of the caller', async () => {
    await using chat = await startChat({ delayMs: 1500 }, { LIVE_POLL_MS: '100' });
    // It shows who the caller is.
    await chat.send('k0');
    await using own = await subscribe(chat.url, CHANGES);
    const sent = chat.send('k');
    await expect.poll(chat.posts).toBe(2);
    chat.add('hello', chat.bob);

    expect((await eventOf(own)).message.message).toBe('hello');
    // The service has not stored the second one yet.
    expect(chat.texts()).toEqual(['hi', 'hello']);
    await sent;
  });

  test('waits for the answer of the write, if it is seen before', async () => {
    await using chat = await startChat({ delayMs: 600 }, { LIVE_POLL_MS: '100' });
    await using own = await subscribe(chat.url, CHANGES);
    const steps: string[] = [];

    await Promise.all([
      chat.send('k').then(() => steps.push('answered')),
      eventOf(own).then(({ clientMutationId }) =>
        steps.push(`event of ${clientMutationId}`),
      ),
    ]);

    expect(steps.toSorted()).toEqual(['answered', 'event of k']);
  });
});
