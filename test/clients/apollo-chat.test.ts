import { setTimeout as sleep } from 'node:timers/promises';
import { gql, type TypedDocumentNode } from '@apollo/client';
import type { Client } from 'graphql-ws';
import { expect, test, vi } from 'vitest';
import { type ChatDocuments, createChat } from '../../examples/apollo-chat.ts';
import { createMessagingClient } from '../../examples/apollo-client.ts';
import {
  applyMessageChange,
  type MessageList,
} from '../../examples/apollo-message-change.ts';
import { keepCurrent } from '../../examples/live-list.ts';
import { createLiveSocket } from '../../examples/live-socket.ts';
import { type ChatOptions, startChat } from '../support/chat.ts';
import { expectToFollow, LIST } from '../support/followed-list.ts';

interface Message {
  readonly __typename: 'Message';
  readonly id: string;
  readonly message: string;
  readonly createdAt: number;
}
type Event = {
  change: {
    kind: string;
    messageId: string;
    clientMutationId: string | null;
    message: Message | null;
  };
};

const DOCUMENTS: ChatDocuments<Message> = {
  list: gql`query ($id: ID!) {
    messages(conversationId: $id, first: 20, order: NEWEST_FIRST) {
      edges { __typename cursor node { __typename id message createdAt } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  send: gql`mutation ($input: SendMessageInput!) {
    sendMessage(input: $input) { message { __typename id message createdAt } }
  }`,
};
const CHANGES: TypedDocumentNode<Event> = gql`subscription ($id: ID!, $resumeFrom: String) {
  change: messageChanged(conversationId: $id, resumeFrom: $resumeFrom) {
    kind messageId clientMutationId resumeToken message { __typename id message createdAt }
  }
}`;

/** Opens the conversation c1 as an app does: what it shows, oldest first, and each state that it has shown. */
async function openChat(
  options: ChatOptions,
  fetch: typeof globalThis.fetch = globalThis.fetch,
  pollMs = 100,
) {
  await using started = new AsyncDisposableStack();
  const service = started.use(await startChat(options, { LIVE_POLL_MS: String(pollMs) }));
  const uri = `${service.url}/graphql`;
  const socket: Client = createLiveSocket(uri, () => 'ann-token');
  started.defer(() => socket.dispose());
  const client = createMessagingClient(uri, () => 'ann-token', { socket, fetch });
  started.defer(() => client.stop());
  const chat = createChat(client, 'c1', DOCUMENTS, (message) => message);
  const variables = { id: 'c1' };
  const states: string[][] = [];
  const list = client.watchQuery({ query: DOCUMENTS.list, variables });
  started.adopt(
    list.subscribe(({ data }) => {
      const edges = (data as { messages?: { edges: { node: Message }[] } })?.messages
        ?.edges;
      const texts = (edges ?? []).map(({ node }) => node.message).reverse();
      states.push(texts.filter((text) => !text.startsWith('text')));
    }),
    (shown) => shown.unsubscribe(),
  );
  await client.query({ query: DOCUMENTS.list, variables });
  const failures: unknown[] = [];
  started.defer(
    keepCurrent<Event>({
      socket,
      subscribe(next, fail) {
        const events = client.subscribe({ query: CHANGES, variables });
        const opened = events.subscribe(({ data, error }) => {
          if (data) next(data);
          if (error) fail(error);
        });
        return () => opened.unsubscribe();
      },
      apply: ({ change }) => chat.apply(change),
      reread: chat.reread,
      fail: (error) => failures.push(error),
    }),
  );
  const all = started.move();
  return {
    service,
    socket,
    send: chat.send,
    states,
    failures,
    shown: () => states.at(-1),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Answers to mutations come later by this time. */
const late =
  (ms: number): typeof fetch =>
  async (url, options) => {
    const answer = await fetch(url, options);
    await sleep(String(options?.body).includes('mutation') ? ms : 0);
    return answer;
  };

// security: write-twice
test.each([
  ['the event comes before the answer', 300],
  ['the answer comes before the event', 0],
])('an optimistic message is never shown twice, if %s', async (_, lateMs) => {
  await using chat = await openChat({ delayMs: 40 }, late(lateMs));
  const { service, states } = chat;
  await expect.poll(() => service.reads()).toBeGreaterThan(1);

  const errors = await Promise.all([chat.send('one'), chat.send('two')]);
  await service.send(null, 'three');
  await expect.poll(chat.shown).toEqual(['one', 'two', 'three']);

  expect(states.filter((texts) => new Set(texts).size < texts.length)).toEqual([]);
  // At once, before any answer.
  expect(states.slice(0, 4)).toContainEqual(['one', 'two']);
  expect(errors).toEqual([undefined, undefined]);
  expect(service.posts()).toBe(3);
});

test('messages arrive in the order in which they were written, also if an answer is lost', async () => {
  let requests = 0;
  const breaking: typeof fetch = async (url, options) => {
    const answer = await fetch(url, options);
    const isSend = String(options?.body).includes('mutation');
    if (isSend) requests += 1;
    if (isSend && requests < 3) throw new TypeError('the connection broke');
    return answer;
  };
  await using chat = await openChat({}, breaking);
  const texts = Array.from({ length: 8 }, (_, index) => `no. ${index}`);

  const errors = await Promise.all(texts.map((text) => chat.send(text)));

  expect(errors.filter(Boolean)).toEqual([]);
  expect(chat.service.texts()).toEqual(texts);
  await expect.poll(chat.shown).toEqual(texts);
});

test('messages of one second stand in the order of the service', async () => {
  await using chat = await openChat({});
  await chat.service.send(null, 'zero');
  await expect.poll(chat.shown).toEqual(['zero']);

  // One poll finds all of them, and tells the newest first.
  for (const text of ['one', 'two', 'three']) chat.service.add(text, chat.service.bob);

  await expect.poll(chat.shown).toEqual(['zero', 'one', 'two', 'three']);
});

test('a message that came before the first event is shown, at the start, if a read fails, and after a lost connection', async () => {
  const failing = vi.fn(fetch).mockImplementationOnce(fetch);
  failing.mockRejectedValueOnce(new TypeError('the connection broke'));
  await using chat = await openChat({}, failing, 600_000);
  const { service, socket } = chat;
  service.add('before the subscription', service.bob);
  await expect.poll(chat.shown).toEqual(['before the subscription']);

  const isLost = new Promise((resolve) => socket.on('closed', resolve));
  socket.terminate();
  await isLost;
  service.add('while it was away', service.bob);

  await expect.poll(chat.shown).toEqual(['before the subscription', 'while it was away']);
  expect(chat.failures).toEqual([]);
});

test('an event that comes while the list is read is not undone by what was read', async () => {
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reads = 0;
  const slow: typeof fetch = async (url, options) => {
    const answer = await fetch(url, options);
    if (String(options?.body).includes('pageInfo')) reads += 1;
    if (reads === 2) await held;
    return answer;
  };
  await using chat = await openChat({}, slow);
  await expect.poll(() => reads).toBe(2);

  await chat.service.send(null, 'meanwhile');
  await expect.poll(chat.shown).toEqual(['meanwhile']);
  release?.();
  await chat.send('later');

  await expect.poll(chat.shown).toEqual(['meanwhile', 'later']);
  expect(
    chat.states.slice(chat.states.findIndex((one) => one.length > 0)),
  ).not.toContainEqual([]);
});

test('a list follows the events of its messages, each of them applied twice', () =>
  expectToFollow(async (url) => {
    const client = createMessagingClient(url, () => 'ann-token');
    const variables = { id: 'c1' };
    const list: MessageList<Message, typeof variables> = { query: gql(LIST), variables };
    await client.query(list);
    const events = client.subscribe({ query: CHANGES, variables });
    const opened = events.subscribe(({ data }) => {
      for (let times = 0; data && times < 2; times += 1)
        applyMessageChange(client.cache, list, data.change);
    });
    const read = () => client.readQuery(list)?.messages?.edges ?? [];
    return {
      texts: () => read().map(({ node }) => node?.message),
      [Symbol.dispose]() {
        opened.unsubscribe();
        client.stop();
      },
    };
  }));
