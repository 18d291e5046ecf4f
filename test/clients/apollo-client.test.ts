import { type ApolloClient, CombinedGraphQLErrors, gql } from '@apollo/client';
import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { startFrontend } from './apollo.ts';
import {
  CONVERSATION_FIELDS,
  CONVERSATIONS,
  type Conversation,
  DELETE_CONVERSATION,
  DELETE_MESSAGE,
  ids,
  MESSAGE_FIELDS,
  MESSAGES,
  type Message,
  nodes,
  SEND,
  UPDATE_CONVERSATION,
  UPDATE_MESSAGE,
} from './operations.ts';

const LISBON = 'conv_lisbon_trip';

async function readMessages(client: ApolloClient): Promise<Message[]> {
  const variables = { conversationId: LISBON, first: 50 };
  const { data } = await client.query({ query: MESSAGES, variables });
  if (data === undefined) throw new Error('no messages');
  return nodes(data.messages);
}

async function readFirstMessage(client: ApolloClient): Promise<Message> {
  const [message] = await readMessages(client);
  if (message === undefined) throw new Error('no message');
  return message;
}

const cachedMessages = (client: ApolloClient): Message[] => {
  const variables = { conversationId: LISBON };
  const data = client.readQuery({ query: MESSAGES, variables });
  return data === null ? [] : nodes(data.messages);
};

const cachedConversations = (client: ApolloClient): Conversation[] => {
  const data = client.readQuery({ query: CONVERSATIONS });
  return data === null ? [] : nodes(data.conversations);
};

const cachedLisbon = (client: ApolloClient) =>
  client.readFragment<Conversation>({
    id: `Conversation:${LISBON}`,
    fragment: CONVERSATION_FIELDS,
  });

describe('messages', () => {
  test('a sent message is in the list after a refetch', async () => {
    await using frontend = await startFrontend();
    const { client } = frontend;
    const variables = { conversationId: LISBON, first: 10 };
    const list = client.watchQuery({ query: MESSAGES, variables });
    const screen = list.subscribe(() => {});
    await firstValueFrom(list.pipe(filter(({ loading }) => !loading)));

    await client.mutate({
      mutation: SEND,
      variables: { input: { conversationId: LISBON, message: 'Platform nine.' } },
      refetchQueries: [MESSAGES],
      awaitRefetchQueries: true,
    });

    expect(cachedMessages(client)[0]?.message).toBe('Platform nine.');
    screen.unsubscribe();
  });

  test('an edited message changes in the list without a refetch', async () => {
    await using frontend = await startFrontend();
    const { client } = frontend;
    const { id } = await readFirstMessage(client);

    await client.mutate({
      mutation: UPDATE_MESSAGE,
      variables: { input: { id, message: 'Platform ten, sorry.' } },
    });

    expect(cachedMessages(client)[0]).toMatchObject({
      id,
      message: 'Platform ten, sorry.',
      updatedAt: expect.any(Number),
    });
  });

  test.each(['replace', 'add'] as const)(
    'a reaction added to the others keeps them, if the service treats an update as %s',
    async (reactions) => {
      await using frontend = await startFrontend({ answers: { reactions } });
      const { client } = frontend;
      const message = (await readMessages(client)).find(
        (one) => one.reactions.length > 1,
      );
      if (message === undefined) throw new Error('no message with reactions');
      const [first, ...others] = message.reactions.map(({ name, usernames }) => ({
        name,
        usernames: [...usernames],
      }));
      const union = [
        { name: first?.name, usernames: [...(first?.usernames ?? []), 'a.new.face'] },
        ...others,
      ];

      await client.mutate({
        mutation: UPDATE_MESSAGE,
        variables: { input: { id: message.id, reactions: union } },
      });

      const cached = client.readFragment<Message>({
        id: `Message:${message.id}`,
        fragment: MESSAGE_FIELDS,
      });
      expect(cached?.reactions).toMatchObject(union);
    },
  );

  test('a deleted message leaves the list when it is evicted', async () => {
    await using frontend = await startFrontend();
    const { client } = frontend;
    const [deleted, ...others] = ids(await readMessages(client));

    const { data } = await client.mutate({
      mutation: DELETE_MESSAGE,
      variables: { input: { id: deleted } },
      update: (cache, { data }) => {
        cache.evict({ id: `Message:${data?.deleteMessage.deletedMessageId}` });
      },
    });

    expect(data?.deleteMessage.deletedMessageId).toBe(deleted);
    expect(ids(cachedMessages(client))).toEqual(others);
  });
});

describe('conversations', () => {
  test('a pinned message is shown without a refetch', async () => {
    await using frontend = await startFrontend();
    const { client } = frontend;
    const { id, message } = await readFirstMessage(client);
    await client.query({ query: CONVERSATIONS, variables: { first: 10 } });

    await client.mutate({
      mutation: UPDATE_CONVERSATION,
      variables: { input: { id: LISBON, pinnedMessageId: id } },
    });

    expect(cachedLisbon(client)?.pinnedMessage).toMatchObject({ id, message });
  });

  test.each([
    ['pinned', { isPinned: true }],
    ['muted', { isMuted: true }],
    ['archived', { archivedAt: 1_800_000_000 }],
  ])(
    'a conversation that is %s, and then no longer, changes in the list without a refetch',
    async (_word, change) => {
      await using frontend = await startFrontend();
      const { client } = frontend;
      const original = { isPinned: false, isMuted: false, archivedAt: null };
      const update = (input: object) =>
        client.mutate({
          mutation: UPDATE_CONVERSATION,
          variables: { input: { id: LISBON, ...input } },
        });
      const inList = () => cachedConversations(client).find(({ id }) => id === LISBON);
      await update(original);
      await client.query({ query: CONVERSATIONS, variables: { first: 10 } });

      await update(change);
      const changed = inList();
      await update(original);

      expect(changed).toMatchObject({ ...original, ...change });
      expect(inList()).toMatchObject(original);
    },
  );

  test('a deleted conversation leaves the list when it is evicted', async () => {
    await using frontend = await startFrontend();
    const { client } = frontend;
    await client.query({ query: CONVERSATIONS, variables: { first: 10 } });
    const others = ids(cachedConversations(client)).filter((id) => id !== LISBON);

    await client.mutate({
      mutation: DELETE_CONVERSATION,
      variables: { input: { id: LISBON } },
      update: (cache, { data }) => {
        cache.evict({
          id: `Conversation:${data?.deleteConversation.deletedConversationId}`,
        });
      },
    });

    expect(others).toHaveLength(9);
    expect(ids(cachedConversations(client))).toEqual(others);
  });
});

describe('errors', () => {
  const codes = (error: unknown) =>
    CombinedGraphQLErrors.is(error)
      ? error.errors.map(({ path, extensions }) => [path?.join('.'), extensions?.code])
      : error;

  const PARTLY = gql`
    query Partly {
      conversation(id: "conv_lisbon_trip") {
        id
      }
      message(id: "..") {
        id
      }
    }
  `;

  test('the client of the example keeps the data that arrived, and has codes for the rest', async () => {
    await using frontend = await startFrontend();

    const { data, error } = await frontend.client.query({ query: PARTLY });

    expect(data).toMatchObject({ conversation: { id: LISBON }, message: null });
    expect(codes(error)).toEqual([['message', 'BAD_USER_INPUT']]);
  });

  test("Apollo's own default drops the data of an answer with one failed field", async () => {
    await using frontend = await startFrontend();

    const asked = frontend.client.query({ query: PARTLY, errorPolicy: 'none' });

    await expect(asked).rejects.toSatisfy(CombinedGraphQLErrors.is);
  });

  test('a list that failed is empty, and the error says why', async () => {
    await using frontend = await startFrontend();
    const { client } = frontend;

    const { data, error } = await client.query({
      query: MESSAGES,
      variables: { conversationId: LISBON, first: 0 },
    });

    expect(data?.messages?.edges).toEqual([]);
    expect(codes(error)).toEqual([['messages', 'BAD_USER_INPUT']]);
  });

  test('a wrong token is UNAUTHENTICATED', async () => {
    await using frontend = await startFrontend({ token: 'no-such-token' });
    const { client } = frontend;

    const { error } = await client.query({
      query: CONVERSATIONS,
    });

    expect(codes(error)).toEqual([['conversations', 'UNAUTHENTICATED']]);
  });
});
