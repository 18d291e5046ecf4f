import type { ApolloClient } from '@apollo/client';
import { filter, firstValueFrom } from 'rxjs';
import { expect, test } from 'vitest';
import { type Frontend, startFrontend } from './apollo.ts';
import {
  CONVERSATION_SCREEN,
  CONVERSATIONS,
  type Connection,
  type Identified,
  ids,
  MESSAGES,
  type Message,
  nodes,
  type PageVariables,
  SEND,
} from './operations.ts';

const LISBON = 'conv_lisbon_trip';
const LISBON_MESSAGES = 640;

type PageInfo = Connection<Message>['pageInfo'];

/** The ids as the service itself lists them. */
const idsByRest = async ({ rest }: Frontend, path: string): Promise<string[]> =>
  ids((await rest<{ data: Identified[] }>(path)).data);

/** Shows a list, fetches more until `next` returns null, and returns the messages on the screen. */
async function showMessages(
  client: ApolloClient,
  variables: PageVariables,
  next: (info: PageInfo) => PageVariables | null,
): Promise<Message[]> {
  const list = client.watchQuery({
    query: MESSAGES,
    variables: { conversationId: LISBON, ...variables },
  });
  const screen = list.subscribe(() => {});

  for (;;) {
    const shown = await firstValueFrom(list.pipe(filter(({ loading }) => !loading)));
    if (shown.dataState !== 'complete') throw shown.error ?? new Error('no messages');
    const more = next(shown.data.messages.pageInfo);
    if (more === null) {
      screen.unsubscribe();
      return nodes(shown.data.messages);
    }
    await list.fetchMore({ variables: more });
  }
}

test.each<[string, PageVariables, (info: PageInfo) => PageVariables | null]>([
  [
    'forward to the end',
    { first: 100 },
    ({ hasNextPage, endCursor }) => (hasNextPage ? { after: endCursor } : null),
  ],
  [
    'backward to the head',
    { last: 100 },
    ({ hasPreviousPage, startCursor }) =>
      hasPreviousPage ? { before: startCursor } : null,
  ],
])(
  'fetchMore goes %s of the largest conversation, with every message once and in order',
  async (_, variables, next) => {
    await using frontend = await startFrontend();

    const shown = await showMessages(frontend.client, variables, next);

    expect(shown).toHaveLength(LISBON_MESSAGES);
    const path = `/v1/messages?conversation_id=${LISBON}&limit=1000`;
    expect(ids(shown)).toEqual(await idsByRest(frontend, path));
  },
);

test('a second page of the messages of a conversation is appended to the first', async () => {
  await using frontend = await startFrontend();
  const { client } = frontend;
  const variables = { id: LISBON, first: 20 };
  const { data } = await client.query({ query: CONVERSATION_SCREEN, variables });

  const after = data?.conversation.messages.pageInfo.endCursor ?? null;
  await client.query({
    query: CONVERSATION_SCREEN,
    variables: { ...variables, after },
    fetchPolicy: 'network-only',
  });

  const shown = client.readQuery({ query: CONVERSATION_SCREEN, variables });
  expect(shown && ids(nodes(shown.conversation.messages))).toEqual(
    await idsByRest(frontend, `/v1/messages?conversation_id=${LISBON}&limit=40`),
  );
});

test('lists with different filters are cached separately', async () => {
  await using frontend = await startFrontend();
  const { client } = frontend;
  const archived = { archived: true };

  await client.query({ query: CONVERSATIONS, variables: { first: 100 } });
  await client.query({ query: CONVERSATIONS, variables: { ...archived, first: 100 } });

  for (const [variables, filter] of [
    [{}, ''],
    [archived, '&archived=true'],
  ] as const) {
    const shown = client.readQuery({ query: CONVERSATIONS, variables });
    expect(shown && ids(nodes(shown.conversations))).toEqual(
      await idsByRest(frontend, `/v1/conversations?limit=1000${filter}`),
    );
  }
});

test('what fetchMore finds before the startCursor is added at the head of the list', async () => {
  await using frontend = await startFrontend();
  const { client } = frontend;
  const list = client.watchQuery({
    query: MESSAGES,
    variables: { conversationId: LISBON, first: 10 },
  });
  const screen = list.subscribe(() => {});
  const shown = await firstValueFrom(list.pipe(filter(({ loading }) => !loading)));
  if (shown.dataState !== 'complete') throw new Error('no messages');
  for (const message of ['one', 'two']) {
    const input = { conversationId: LISBON, message };
    await client.mutate({ mutation: SEND, variables: { input } });
  }

  const { startCursor: before } = shown.data.messages.pageInfo;
  await list.fetchMore({ variables: { last: 20, before, first: null } });

  const merged = client.readQuery({
    query: MESSAGES,
    variables: { conversationId: LISBON },
  });
  expect(merged && ids(nodes(merged.messages))).toEqual(
    await idsByRest(frontend, `/v1/messages?conversation_id=${LISBON}&limit=12`),
  );
  screen.unsubscribe();
});
