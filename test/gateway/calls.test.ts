import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const MESSAGES_OF_C1 = 'GET /v1/messages?conversation_id=c1&limit=10';

describe('one operation', () => {
  test('fetches an object once, however often it is wanted', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data } = await gateway.ask(
      '{ a: message(id: "m1") { id } b: message(id: "m1") { message } }',
    );

    expect(data).toEqual({ a: { id: 'm1' }, b: { message: 'text m1' } });
    expect(upstream.calls).toEqual([
      { line: 'GET /v1/messages/m1', form: '', token: 'Bearer ann-token' },
    ]);
  });

  test('asks the service for an unknown id once, too', async () => {
    await using upstream = await startUpstream({});
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(
      '{ a: conversation(id: "c1") { id } b: conversation(id: "c1") { isMuted } }',
    );

    expect({ data, errors }).toEqual({ data: { a: null, b: null } });
    expect(upstream.lines()).toEqual(['GET /v1/conversations/c1']);
  });

  test.each([
    ['an id', '{ message(id: "m1") { conversation { id } } }'],
    [
      'every free field',
      '{ message(id: "m1") { conversation { __typename id nodeId } } }',
    ],
    ['an alias', '{ message(id: "m1") { conversation { key: id } } }'],
    [
      'a fragment',
      'fragment F on Conversation { id } { message(id: "m1") { conversation { ...F ... on Node { nodeId } } } }',
    ],
    [
      'what is left after @skip and @include',
      'query ($yes: Boolean = true) { message(id: "m1") { conversation { id isMuted @skip(if: $yes) ... @include(if: false) { isPinned } } } }',
    ],
    [
      'two selections of the same field',
      '{ message(id: "m1") { conversation { id } conversation { nodeId } } }',
    ],
  ])('makes no call for a link of which only ids are asked: %s', async (_what, query) => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(query);

    expect(errors).toBeUndefined();
    expect(Object.values(data.message.conversation)).toContain('c1');
    expect(upstream.lines()).toEqual(['GET /v1/messages/m1']);
  });

  test('makes no call for the ids of a pinned message', async () => {
    await using upstream = await startUpstream({
      'GET /v1/conversations/c1': wireConversation('c1', { pinned_message_id: 'm9' }),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data } = await gateway.ask(
      '{ conversation(id: "c1") { pinnedMessage { id nodeId } } }',
    );

    expect(data.conversation.pinnedMessage.id).toBe('m9');
    expect(upstream.lines()).toEqual(['GET /v1/conversations/c1']);
  });

  test('makes a call for a link as soon as one selection wants more', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/conversations/c1': wireConversation('c1', { is_muted: true }),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data } = await gateway.ask(
      '{ message(id: "m1") { conversation { id } ... on Message { conversation { isMuted } } } }',
    );

    expect(data.message.conversation).toEqual({ id: 'c1', isMuted: true });
    expect(upstream.lines()).toEqual(['GET /v1/messages/m1', 'GET /v1/conversations/c1']);
  });

  test('goes back to an object that is already here without a call', async () => {
    await using upstream = await startUpstream({
      'GET /v1/conversations/c1': wireConversation('c1', { is_muted: true }),
      'GET /v1/messages': wirePage([wireMessage('m1'), wireMessage('m2')]),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data } = await gateway.ask(
      '{ conversation(id: "c1") { messages { nodes { conversation { isMuted createdAt } } } } }',
    );

    expect(data.conversation.messages.nodes[1].conversation.isMuted).toBe(true);
    expect(upstream.lines()).toEqual(['GET /v1/conversations/c1', MESSAGES_OF_C1]);
  });

  test('goes back from the messages of listed conversations without a call', async () => {
    await using upstream = await startUpstream({
      'GET /v1/conversations': wirePage([wireConversation('c1')]),
      'GET /v1/messages': wirePage([wireMessage('m1')]),
    });
    await using gateway = await startTestGateway(upstream.url);

    await gateway.ask(
      '{ conversations { nodes { messages { nodes { conversation { isMuted } } } } } }',
    );

    expect(upstream.lines()).toEqual(['GET /v1/conversations?limit=10', MESSAGES_OF_C1]);
  });

  test('does not fetch by id what it has seen in a list', async () => {
    await using upstream = await startUpstream({
      'GET /v1/conversations': wirePage([
        wireConversation('c1', { pinned_message_id: 'm2' }),
      ]),
      'GET /v1/messages': wirePage([wireMessage('m1'), wireMessage('m2')]),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data } = await gateway.ask(`{ conversations { nodes {
      messages { nodes { conversation { pinnedMessage { message } } } }
    } } }`);

    const [message] = data.conversations.nodes[0].messages.nodes;
    expect(message.conversation.pinnedMessage.message).toBe('text m2');
    expect(upstream.calls).toHaveLength(2);
  });

  test('asks for the same page once, on whichever level of the operation', async () => {
    await using upstream = await startUpstream({
      'GET /v1/conversations/c1': wireConversation('c1'),
      'GET /v1/messages': wirePage([wireMessage('m1')]),
    });
    await using gateway = await startTestGateway(upstream.url);

    await gateway.ask(`{ conversation(id: "c1") {
      a: messages { nodes { conversation { messages { nodes { id } } } } }
      b: messages(first: 10) { nodes { message } }
    } }`);

    expect(upstream.lines()).toEqual(['GET /v1/conversations/c1', MESSAGES_OF_C1]);
  });

  test('asks for the children of fifty parents at once, over one pool', async () => {
    const parents = Array.from({ length: 50 }, (_, index) =>
      wireConversation(`c${index}`),
    );
    await using upstream = await startUpstream(({ line }) =>
      line.startsWith('GET /v1/conversations')
        ? { body: wirePage(parents) }
        : { body: wirePage([]), delayMs: 100 },
    );
    await using gateway = await startTestGateway(upstream.url);

    await gateway.ask(
      '{ conversations(first: 50) { nodes { messages(first: 1) { nodes { id } } } } }',
    );
    await gateway.ask(
      '{ conversations(first: 50) { nodes { messages(first: 1) { nodes { id } } } } }',
    );

    expect(upstream.calls).toHaveLength(102);
    expect(upstream.mostAtOnce).toBe(50);
    expect(upstream.connections).toBeLessThanOrEqual(64);
  });

  test('never opens more connections than REST_CONNECTIONS', async () => {
    await using upstream = await startUpstream(({ line }) => ({
      body: wireMessage(line.split('/').at(-1) ?? ''),
      delayMs: 5,
    }));
    await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '3' });
    const fields = Array.from(
      { length: 20 },
      (_, i) => `f${i}: message(id: "m${i}") { id message }`,
    );

    const { data } = await gateway.ask(`{ ${fields.join(' ')} }`);

    expect(data.f19.id).toBe('m19');
    expect(upstream.mostAtOnce).toBe(3);
    expect(upstream.connections).toBe(3);
  });
});

describe('two operations at once', () => {
  const SLOW = {
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 100 }),
  };
  const ASK = '{ message(id: "m1") { message } }';

  test('share a GET of the same token', async () => {
    await using upstream = await startUpstream(SLOW);
    await using gateway = await startTestGateway(upstream.url);

    const answers = await Promise.all([gateway.ask(ASK), gateway.ask(ASK)]);

    expect(answers.map(({ data }) => data.message.message)).toEqual([
      'text m1',
      'text m1',
    ]);
    expect(upstream.calls).toHaveLength(1);
  });

  test('of two tokens share nothing', async () => {
    await using upstream = await startUpstream(({ token }) => ({
      body: wireMessage('m1', { message: `for ${token}` }),
      delayMs: 50,
    }));
    await using gateway = await startTestGateway(upstream.url);

    const [ann, bob] = await Promise.all([
      gateway.ask(ASK, { token: 'ann-token' }),
      gateway.ask(ASK, { token: 'bob-token' }),
    ]);

    expect(ann.data.message.message).toBe('for Bearer ann-token');
    expect(bob.data.message.message).toBe('for Bearer bob-token');
    expect(upstream.calls.map(({ token }) => token).sort()).toEqual([
      'Bearer ann-token',
      'Bearer bob-token',
    ]);
  });

  test('one after the other share nothing', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
    });
    await using gateway = await startTestGateway(upstream.url);

    await gateway.ask(ASK);
    await gateway.ask(ASK);

    expect(upstream.calls).toHaveLength(2);
  });

  test('go on when the one that began the GET leaves', async () => {
    await using upstream = await startUpstream(SLOW);
    await using gateway = await startTestGateway(upstream.url);
    const leaving = new AbortController();

    const first = gateway.ask(ASK, { signal: leaving.signal });
    await expect.poll(() => upstream.calls.length).toBe(1);
    const second = gateway.ask(ASK);
    await new Promise((resolve) => setTimeout(resolve, 30));
    leaving.abort();

    await expect(first).rejects.toThrow();
    expect((await second).data.message.message).toBe('text m1');
    expect(upstream.calls).toHaveLength(1);
    expect(upstream.aborted).toEqual([]);
  });

  test.each([
    ['answered', answering({ status: 200, body: wireMessage('m1', { message: 'new' }) })],
    ['failed', answering({ status: 500 })],
    ['cut off', answering({ broken: 'before' })],
  ])('do not share a GET from before a write that was %s', async (_how, written) => {
    let reads = 0;
    await using upstream = await startUpstream(({ line }) => {
      if (line.startsWith('PUT'))
        return Object.getOwnPropertySymbols(written).map(
          (key) => (written as never)[key],
        )[0] as never;
      reads += 1;
      const text = reads === 1 ? 'old' : 'new';
      return {
        body: wireMessage('m1', { message: text }),
        delayMs: reads === 1 ? 300 : 0,
      };
    });
    await using gateway = await startTestGateway(upstream.url);

    const before = gateway.ask(ASK);
    await expect.poll(() => upstream.calls.length).toBe(1);
    await gateway.ask(
      'mutation { updateMessage(input: { id: "m1", message: "new" }) { message { id } } }',
    );
    const after = await gateway.ask(ASK);

    expect(after.data.message.message).toBe('new');
    expect((await before).data.message.message).toBe('old');
  });
});

describe('mutations', () => {
  test('make one call each, in order, and are never merged with their twin', async () => {
    let sent = 0;
    await using upstream = await startUpstream(() => {
      sent += 1;
      return { body: wireMessage(`m${sent}`), delayMs: sent === 1 ? 50 : 0 };
    });
    await using gateway = await startTestGateway(upstream.url);
    const send = (text: string) =>
      `sendMessage(input: { conversationId: "c1", message: "${text}" }) { message { id } }`;

    const { data } = await gateway.ask(
      `mutation { a: ${send('hi')} b: ${send('hi')} c: ${send('ho')} }`,
    );

    expect([data.a, data.b, data.c].map(({ message }) => message.id)).toEqual([
      'm1',
      'm2',
      'm3',
    ]);
    expect(upstream.calls.map(({ form }) => form)).toEqual([
      'conversation_id=c1&message=hi',
      'conversation_id=c1&message=hi',
      'conversation_id=c1&message=ho',
    ]);
    expect(upstream.mostAtOnce).toBe(1);
  });

  test('are followed by fresh reads in the same operation', async () => {
    await using upstream = await startUpstream({
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
    await using gateway = await startTestGateway(upstream.url);
    const send = `sendMessage(input: { conversationId: "c1", message: "hi" }) {
      message { conversation { lastActiveAt messages { nodes { id } } } }
    }`;

    const { data } = await gateway.ask(`mutation { a: ${send} b: ${send} }`);

    const seen = [data.a, data.b].map(({ message }) => message.conversation);
    expect(seen.map(({ lastActiveAt }) => lastActiveAt)).toEqual([1, 2]);
    expect(seen.map(({ messages }) => messages.nodes.length)).toEqual([1, 2]);
    expect(upstream.lines()).toEqual([
      'POST /v1/messages',
      'GET /v1/conversations/c1',
      MESSAGES_OF_C1,
      'POST /v1/messages',
      'GET /v1/conversations/c1',
      MESSAGES_OF_C1,
    ]);
  });

  test('give what came back to the links of the same operation', async () => {
    await using upstream = await startUpstream({
      'PUT /v1/conversations/c1': wireConversation('c1', { is_muted: true }),
      'GET /v1/messages': wirePage([wireMessage('m1')]),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data } = await gateway.ask(`mutation {
      updateConversation(input: { id: "c1", isMuted: true }) {
        conversation { messages { nodes { conversation { isMuted } } } }
      }
    }`);

    const { nodes } = data.updateConversation.conversation.messages;
    expect(nodes[0].conversation.isMuted).toBe(true);
    expect(upstream.lines()).toEqual(['PUT /v1/conversations/c1', MESSAGES_OF_C1]);
  });

  test('leave their neighbours alone when one fails', async () => {
    await using upstream = await startUpstream({
      'DELETE /v1/messages/m1': answering({ status: 403, body: { why: 'not yours' } }),
      'DELETE /v1/messages/m2': answering({ status: 204 }),
    });
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask(`mutation {
      a: deleteMessage(input: { id: "m1" }) { deletedMessageId }
      b: deleteMessage(input: { id: "m2" }) { deletedMessageId }
    }`);

    expect(answer.data).toEqual({ a: null, b: { deletedMessageId: 'm2' } });
    expect(codes(answer)).toEqual({ a: 'FORBIDDEN' });
  });
});

test('a client that leaves takes its calls with it', async () => {
  await using upstream = await startUpstream(() => ({ body: {}, delayMs: 5000 }));
  await using gateway = await startTestGateway(upstream.url);
  const leaving = new AbortController();

  const asked = gateway.ask(
    '{ a: message(id: "m1") { id } b: conversation(id: "c1") { id } }',
    {
      signal: leaving.signal,
    },
  );
  await expect.poll(() => upstream.calls.length).toBe(2);
  leaving.abort();

  await expect(asked).rejects.toThrow();
  await expect
    .poll(() => upstream.aborted.toSorted())
    .toEqual(['GET /v1/conversations/c1', 'GET /v1/messages/m1']);
});

test('a write that waits for a connection when its client leaves is never sent', async () => {
  await using upstream = await startUpstream(() => ({
    body: wireMessage('m1'),
    delayMs: 300,
  }));
  await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '1' });
  const leaving = new AbortController();

  const slow = gateway.ask('{ message(id: "m1") { id message } }');
  await expect.poll(() => upstream.calls.length).toBe(1);
  const write = gateway.ask(
    'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }',
    { signal: leaving.signal },
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  leaving.abort();
  await expect(write).rejects.toThrow();
  await slow;
  await gateway.ask('{ message(id: "m2") { id } }');

  expect(upstream.lines()).toEqual(['GET /v1/messages/m1', 'GET /v1/messages/m2']);
});

test('calls that were given up while they waited for a connection leave it to others', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
    'GET /v1/messages/m2': wireMessage('m2'),
  });
  await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '1' });
  const slow = gateway.ask('{ message(id: "m1") { id } }');
  await expect.poll(() => upstream.lines()).toHaveLength(1);
  const leaving = new AbortController();
  const waiting = Array.from(
    { length: 20 },
    (_, index) => `w${index}: message(id: "w${index}") { id }`,
  );

  const crowd = gateway.ask(`{ ${waiting.join(' ')} }`, {
    token: 'bob-token',
    signal: leaving.signal,
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  leaving.abort();
  await expect(crowd).rejects.toThrow();
  await slow;
  await gateway.ask('{ message(id: "m2") { id } }');

  expect(upstream.lines()).toEqual(['GET /v1/messages/m1', 'GET /v1/messages/m2']);
  expect(upstream.connections).toBe(1);
});

test('an object that the service answers under another spelling of its id is known by both', async () => {
  await using upstream = await startUpstream({
    'GET /v1/conversations/ABC-1': wireConversation('abc-1', { pinned_message_id: 'p' }),
    'GET /v1/messages/p': wireMessage('p', { conversation_id: 'abc-1' }),
    'GET /v1/messages': wirePage([wireMessage('m1', { conversation_id: 'abc-1' })]),
  });
  await using gateway = await startTestGateway(upstream.url);

  const { data, errors } = await gateway.ask(
    `{ conversation(id: "ABC-1") {
         id
         messages { nodes { conversation { isMuted } } }
         pinnedMessage { conversation { isMuted } }
       } }`,
  );

  expect(errors).toBeUndefined();
  expect(data.conversation).toEqual({
    id: 'abc-1',
    messages: { nodes: [{ conversation: { isMuted: false } }] },
    pinnedMessage: { conversation: { isMuted: false } },
  });
  expect(upstream.lines().toSorted()).toEqual([
    'GET /v1/conversations/ABC-1',
    'GET /v1/messages/p',
    'GET /v1/messages?conversation_id=abc-1&limit=10',
  ]);
});

test('what is known of an object stays when it is read by another spelling of its id', async () => {
  await using upstream = await startUpstream({
    'GET /v1/conversations/abc-1': wireConversation('abc-1', { is_muted: true }),
    'GET /v1/conversations/ABC-1': wireConversation('abc-1', { is_muted: false }),
    'GET /v1/messages': answering({
      body: wirePage([wireMessage('m1', { conversation_id: 'abc-1' })]),
      delayMs: 100,
    }),
  });
  await using gateway = await startTestGateway(upstream.url);

  const { data } = await gateway.ask(
    `{ a: conversation(id: "abc-1") { isMuted }
       b: conversation(id: "ABC-1") { isMuted }
       messages(conversationId: "abc-1") { nodes { conversation { isMuted } } } }`,
  );

  expect(data).toEqual({
    a: { isMuted: true },
    b: { isMuted: false },
    messages: { nodes: [{ conversation: { isMuted: true } }] },
  });
  expect(upstream.calls).toHaveLength(3);
});
