import { gql, type TypedDocumentNode } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { retryExchange } from '@urql/exchange-retry';
import { expect, test, vi } from 'vitest';
import { createMessagingClient } from '../../examples/apollo-client.ts';
import { startChat } from '../support/chat.ts';

const SEND = `mutation Send($input: SendMessageInput!) { sendMessage(input: $input) { message { id message } } }`;
const SEND_ONCE: TypedDocumentNode<{ sendMessage: { message: { id: string } } }> =
  gql(SEND);
const headers = { authorization: 'Bearer ann-token' };

/** A `fetch` whose requests break one by one: after so many milliseconds, or when the answer has come (null). */
function breaking(breaks: readonly (number | null)[]): typeof fetch {
  let requests = 0;
  return async (url, options) => {
    const ms = breaks[requests];
    requests += 1;
    if (ms === undefined) return fetch(url, options);
    const signal = AbortSignal.any(
      [options?.signal, ms === null ? null : AbortSignal.timeout(ms)].filter(
        (one) => one != null,
      ),
    );
    await fetch(url, { ...options, signal });
    throw new TypeError('the connection broke');
  };
}

/** Sends a text under a key, and resolves to the id of its message. */
type SendText = (text: string, key: string) => Promise<string | undefined>;

const CLIENTS: Record<string, (url: string, fetch: typeof globalThis.fetch) => SendText> =
  {
    'Apollo Client': (url, fetch) => {
      const client = createMessagingClient(url, () => 'ann-token', { fetch });
      return async (message, clientMutationId) => {
        const input = { conversationId: 'c1', message, clientMutationId };
        const { data } = await client.mutate({
          mutation: SEND_ONCE,
          variables: { input },
        });
        return data?.sendMessage.message.id;
      };
    },
    "urql's retry exchange": (url, fetch) => {
      const exchanges = [
        retryExchange({ initialDelayMs: 20, maxNumberAttempts: 5 }),
        fetchExchange,
      ];
      const client = new Client({ url, fetch, fetchOptions: { headers }, exchanges });
      return async (message, clientMutationId) => {
        const input = { conversationId: 'c1', message, clientMutationId };
        const { data } = await client.mutation(SEND, { input }).toPromise();
        return data?.sendMessage.message.id;
      };
    },
  };

// security: write-twice
test.each(Object.entries(CLIENTS))(
  '%s sends a message again until it has the answer, and it is there once',
  async (_, createSend) => {
    await using chat = await startChat({ delayMs: 60 });

    for (const [text, first] of Object.entries({ a: 10, b: 50, c: null })) {
      const send = createSend(`${chat.url}/graphql`, breaking([first]));
      expect(await send(text, `key of ${text}`)).toMatch(/^m\d+$/);
    }

    expect(chat.texts()).toEqual(['a', 'b', 'c']);
    expect(chat.posts()).toBe(3);
  },
);

test('Apollo Client does not send a message again when the gateway may have forgotten its key', async () => {
  await using chat = await startChat();
  const sleepy: typeof fetch = async (url, options) => {
    await fetch(url, options);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 11 * 60_000);
    throw new TypeError('the device slept');
  };
  const send = CLIENTS['Apollo Client']?.(`${chat.url}/graphql`, sleepy);

  expect(await send?.('a', 'key of a')).toBeUndefined();
  expect(chat.posts()).toBe(1);
  vi.restoreAllMocks();
});

test('with Apollo Client, a message that cannot be sent fails at once, and holds up no other', async () => {
  await using chat = await startChat();
  const tokens = ['', 'ann-token'];
  const client = createMessagingClient(`${chat.url}/graphql`, () => {
    const token = tokens.shift();
    if (!token) throw new Error('signed out');
    return token;
  });
  const send = (message: string) =>
    client.mutate({
      mutation: SEND_ONCE,
      variables: { input: { conversationId: 'c1', message, clientMutationId: message } },
    });

  const [failed, sent] = await Promise.all([send('a'), send('b')]);

  expect(failed.error?.message).toBe('signed out');
  expect(sent.data?.sendMessage.message.id).toMatch(/^m\d+$/);
  expect(chat.texts()).toEqual(['b']);
});
