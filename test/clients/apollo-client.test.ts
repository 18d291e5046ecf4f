import { type ApolloClient, CombinedGraphQLErrors, gql } from '@apollo/client';
import { describe, expect, test } from 'vitest';
import { startFrontend } from './apollo.ts';
import {
  CONVERSATIONS,
  DELETE_MESSAGE,
  ids,
  MESSAGES,
  type Message,
  nodes,
  UPDATE_CONVERSATION,
  UPDATE_MESSAGE,
} from './operations.ts';

const LISBON = 'conv_lisbon_trip';

/** Shows the newest messages, and returns the first. */
async function showMessages(client: ApolloClient): Promise<Message> {
  const variables = { conversationId: LISBON, first: 50 };
  await client.query({ query: MESSAGES, variables });
  const [message] = shownMessages(client);
  if (message === undefined) throw new Error('no message');
  return message;
}

const shownMessages = (client: ApolloClient): Message[] => {
  const variables = { conversationId: LISBON };
  const data = client.readQuery({ query: MESSAGES, variables });
  return data === null ? [] : nodes(data.messages);
};

describe('without reading the list again', () => {
  test('an edited message changes in it', async () => {
    await using frontend = await startFrontend();
    const { client } = frontend;
    const { id } = await showMessages(client);

    const input = { id, message: 'Platform ten, sorry.' };
    await client.mutate({ mutation: UPDATE_MESSAGE, variables: { input } });

    const [edited] = shownMessages(client);
    expect(edited).toMatchObject({ ...input, updatedAt: expect.any(Number) });
  });

  test.each(['replace', 'add'] as const)(
    'a reaction added to the others keeps them, if the service treats an update as %s',
    async (reactions) => {
      await using frontend = await startFrontend({ reactions });
      const { client } = frontend;
      await showMessages(client);
      const message = shownMessages(client).find((one) => one.reactions.length > 1);
      const [first, ...others] = (message?.reactions ?? []).map(
        ({ name, usernames }) => ({ name, usernames: [...usernames] }),
      );
      first?.usernames.push('a.new.face');

      const input = { id: message?.id, reactions: [first, ...others] };
      await client.mutate({ mutation: UPDATE_MESSAGE, variables: { input } });

      const shown = shownMessages(client).find(({ id }) => id === message?.id);
      expect(shown?.reactions).toMatchObject(input.reactions);
    },
  );

  test('a deleted message leaves it when it is evicted', async () => {
    await using frontend = await startFrontend();
    const { client } = frontend;
    await showMessages(client);
    const [deleted, ...others] = ids(shownMessages(client));

    await client.mutate({
      mutation: DELETE_MESSAGE,
      variables: { input: { id: deleted } },
      update: (cache, { data }) => {
        cache.evict({ id: `Message:${data?.deleteMessage.deletedMessageId}` });
      },
    });

    expect(ids(shownMessages(client))).toEqual(others);
  });

  test('a conversation changes in it, with the message that is pinned', async () => {
    await using frontend = await startFrontend();
    const { client } = frontend;
    const { id, message } = await showMessages(client);
    await client.query({ query: CONVERSATIONS, variables: { first: 10 } });
    const flags = { isMuted: true, archivedAt: 1_800_000_000 };

    const input = { id: LISBON, pinnedMessageId: id, ...flags };
    await client.mutate({ mutation: UPDATE_CONVERSATION, variables: { input } });

    const data = client.readQuery({ query: CONVERSATIONS });
    const shown = data && nodes(data.conversations).find((one) => one.id === LISBON);
    expect(shown).toMatchObject({ ...flags, pinnedMessage: { id, message } });
  });
});

describe('errors', () => {
  const codes = (error: unknown) =>
    CombinedGraphQLErrors.is(error)
      ? error.errors.map(({ path, extensions }) => [path?.join('.'), extensions?.code])
      : error;

  const PARTLY = gql`
    query Partly { conversation(id: "conv_lisbon_trip") { id } message(id: "..") { id } }
  `;

  test('the client of the example keeps the data that arrived, and has codes for the rest', async () => {
    await using frontend = await startFrontend();
    const { client } = frontend;

    const byDefault = client.query({ query: PARTLY, errorPolicy: 'none' });
    await expect(byDefault).rejects.toSatisfy(CombinedGraphQLErrors.is);
    const { data, error } = await client.query({ query: PARTLY });

    expect(data).toMatchObject({ conversation: { id: LISBON }, message: null });
    expect(codes(error)).toEqual([['message', 'BAD_USER_INPUT']]);
  });

  test('a list that failed is empty, and the error says why', async () => {
    await using frontend = await startFrontend();

    const variables = { conversationId: LISBON, first: 0 };
    const { data, error } = await frontend.client.query({ query: MESSAGES, variables });

    expect(data?.messages?.edges).toEqual([]);
    expect(codes(error)).toEqual([['messages', 'BAD_USER_INPUT']]);
  });
});
