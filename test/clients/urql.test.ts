import { gql } from '@urql/core';
import { expect, test, vi } from 'vitest';
import { createMessagingClient } from '../../examples/urql-client.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { CHANGES, expectToFollow, LIST } from '../support/followed-list.ts';
import { startTestGateway } from '../support/gateway.ts';

const LISBON = 'conv_lisbon_trip';

const MESSAGES = gql`
  query Messages($conversationId: ID!, $first: Int, $after: String) {
    messages(conversationId: $conversationId, first: $first, after: $after) {
      edges {
        cursor
        node {
          id
          message
          attachments
          contact { id username }
          reactions { name usernames }
          conversation { id isPinned pinnedMessage { id message } }
        }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`;
const UPDATE = gql`
  mutation Update($input: UpdateMessageInput!) {
    updateMessage(input: $input) { message { id message reactions { name usernames } } }
  }
`;
const DELETE = gql`
  mutation Delete($input: DeleteMessageInput!) {
    deleteMessage(input: $input) { deletedMessageId }
  }
`;

/** Graphcache writes there what it cannot store. */
const spyOnWarnings = () => vi.spyOn(console, 'warn').mockImplementation(() => {});

async function startFrontend() {
  await using started = new AsyncDisposableStack();
  const service = started.use(await startEmbeddedService());
  const gateway = started.use(await startTestGateway(service.url));
  const client = createMessagingClient(
    `${gateway.url}/graphql`,
    () => 'ada-sample-token',
  );
  const warn = started.use(spyOnWarnings());
  const all = started.move();
  return {
    client,
    warnings: warn.mock.calls,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

type Frontend = Awaited<ReturnType<typeof startFrontend>>;

async function read(
  { client }: Frontend,
  variables: object,
  requestPolicy?: 'cache-only',
) {
  const { data, error } = await client
    .query(
      MESSAGES,
      { conversationId: LISBON, ...variables },
      requestPolicy === undefined ? {} : { requestPolicy },
    )
    .toPromise();
  return { nodes: nodesOf(data), pageInfo: data?.messages.pageInfo, error };
}

const nodesOf = (
  data: { messages: { edges: { node: { id: string; message: string } }[] } } | undefined,
) => data?.messages.edges.map(({ node }) => node) ?? [];

test('the client of the example stores everything, and joins the pages', async () => {
  await using frontend = await startFrontend();

  const first = await read(frontend, { first: 20 });
  const second = await read(frontend, { first: 20, after: first.pageInfo.endCursor });

  expect([first.error, second.error]).toEqual([undefined, undefined]);
  expect(first.nodes).toHaveLength(20);
  const ids = second.nodes.map(({ id }) => id);
  expect(new Set(ids).size).toBe(40);
  expect(ids.slice(0, 20)).toEqual(first.nodes.map(({ id }) => id));
  expect(frontend.warnings).toEqual([]);
});

test('a mutation changes the message where it is stored, and a deleted one leaves the list', async () => {
  await using frontend = await startFrontend();
  const [one, two] = (await read(frontend, { first: 20 })).nodes;

  await frontend.client
    .mutation(UPDATE, { input: { id: one?.id, message: 'changed' } })
    .toPromise();
  const changed = await read(frontend, { first: 20 }, 'cache-only');
  await frontend.client.mutation(DELETE, { input: { id: two?.id } }).toPromise();
  const stored = await read(frontend, { first: 20 }, 'cache-only');

  expect(changed.nodes[0]).toMatchObject({ id: one?.id, message: 'changed' });
  expect(stored.nodes).toHaveLength(19);
  expect(stored.nodes.map(({ id }) => id)).not.toContain(two?.id);
  expect(frontend.warnings).toEqual([]);
});

test('a list follows the events of its messages', async () => {
  using warn = spyOnWarnings();
  await expectToFollow(async (url) => {
    const client = createMessagingClient(url, () => 'ann-token');
    const variables = { id: 'c1' };
    await client.query(LIST, variables).toPromise();
    const events = client.subscription(CHANGES, variables).subscribe(() => {});
    const read = () => client.readQuery(LIST, variables, { requestPolicy: 'cache-only' });
    return {
      texts: () => nodesOf(read()?.data).map(({ message }) => message),
      [Symbol.dispose]: events.unsubscribe,
    };
  });
  expect(warn.mock.calls).toEqual([]);
});
