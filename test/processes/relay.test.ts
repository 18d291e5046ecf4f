import {
  type ConcreteRequest,
  commitMutation,
  createOperationDescriptor,
  type Environment,
  fetchQuery,
  type Variables,
} from 'relay-runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway } from '../support/gateway.ts';
import { type Compiled, compileApp, createEnvironment } from './relay.ts';

const LISBON = 'conv_lisbon_trip';
const TOKEN = 'ada-sample-token';

/** What a Relay application asks for. The compiler wants the name of its file, `App.js`, before every name. */
const DOCUMENTS = [
  `query AppMessagesQuery($conversationId: ID!, $first: Int!, $after: String) {
    messages(conversationId: $conversationId, first: $first, after: $after)
      @connection(key: "AppMessagesQuery_messages") {
      __id
      edges { node { id message createdAt attachments reactions { name count } } }
    }
  }`,
  `query AppInboxQuery {
    conversations(first: 5) @connection(key: "AppInboxQuery_conversations") {
      __id
      edges { node { id isMuted archivedAtIso ...App_conversation } }
    }
  }`,
  // Relay fetches this fragment again, and its next pages, by `node(nodeId)`.
  `fragment App_conversation on Conversation
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, after: { type: "String" })
  @refetchable(queryName: "AppConversationPaginationQuery") {
    isPinned
    messages(first: $count, after: $after) @connection(key: "App_conversation_messages") {
      edges { node { id message contact { username } } }
    }
  }`,
  `mutation AppSendMutation($input: SendMessageInput!, $connections: [ID!]!) {
    sendMessage(input: $input) {
      message @prependNode(connections: $connections, edgeTypeName: "MessageEdge") { id message }
    }
  }`,
  `mutation AppDeleteConversationMutation($input: DeleteConversationInput!) {
    deleteConversation(input: $input) { deletedConversationNodeId @deleteRecord }
  }`,
  `mutation AppArchiveMutation($input: UpdateConversationInput!) {
    updateConversation(input: $input) { conversation { archivedAtIso } }
  }`,
];

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileApp(DOCUMENTS);
});
afterAll(() => compiled[Symbol.asyncDispose]());

function requestOf(name: string): ConcreteRequest {
  const request = compiled.requests.get(name);
  if (request === undefined) throw new Error(`the compiler made no ${name}`);
  return request;
}

/** A Relay application, a gateway, and the embedded service. */
async function startApp() {
  await using started = new AsyncDisposableStack();
  const service = started.use(await startEmbeddedService());
  const gateway = started.use(await startTestGateway(service.url));
  const environment = createEnvironment(gateway.url, TOKEN);
  const all = started.move();
  return {
    environment,
    /** Sends a query; returns what the store holds for it then. */
    async query(name: string, variables: Variables = {}) {
      const request = requestOf(name);
      await fetchQuery(environment, request, variables).toPromise();
      return lookUp(environment, request, variables);
    },
    shown: (name: string, variables: Variables = {}) =>
      lookUp(environment, requestOf(name), variables),
    mutate: (name: string, variables: Variables) =>
      new Promise<void>((resolve, reject) => {
        commitMutation(environment, {
          mutation: requestOf(name),
          variables,
          onCompleted: (_data, errors) =>
            errors?.length ? reject(new Error(errors[0]?.message)) : resolve(),
          onError: reject,
        });
      }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the store has data of every shape
type Data = any;

const lookUp = (environment: Environment, request: ConcreteRequest, given: Variables) =>
  environment.lookup(createOperationDescriptor(request, given).fragment).data as Data;

interface Edge {
  readonly node: { readonly id: string };
}
const ids = (connection: { edges: Edge[] }) =>
  connection.edges.map(({ node }) => node.id);

const FIRST_PAGE = { conversationId: LISBON, first: 3 };

test('the compiler sends every operation, with every field, to the gateway', () => {
  const texts = [...compiled.requests.values()].map(({ params }) => params.text);
  const text = texts.join('\n');

  expect([...compiled.requests.keys()].toSorted()).toEqual([
    'AppArchiveMutation',
    'AppConversationPaginationQuery',
    'AppDeleteConversationMutation',
    'AppDeleteMessageMutation',
    'AppInboxQuery',
    'AppMessagesQuery',
    'AppSendMutation',
  ]);
  expect(texts).not.toContain(null);
  expect(text).toContain('deletedMessageNodeId');
  expect(text).toContain('node(nodeId: $nodeId)');
});

test('pages of a connection are joined in the store', async () => {
  await using app = await startApp();

  const { messages } = await app.query('AppMessagesQuery', FIRST_PAGE);
  const after = messages.pageInfo.endCursor;
  const next = await app.query('AppMessagesQuery', { ...FIRST_PAGE, after });

  const all = await app.query('AppMessagesQuery', { ...FIRST_PAGE, first: 6 });
  expect(ids(messages)).toHaveLength(3);
  expect(ids(next.messages)).toHaveLength(6);
  expect(ids(next.messages)).toEqual(ids(all.messages));
});

test('a fragment is fetched again by nodeId', async () => {
  await using app = await startApp();
  const inbox = await app.query('AppInboxQuery');
  const nodeId = inbox.conversations.edges[0].node.__id;

  const variables = { nodeId, count: 4 };
  const { node } = await app.query('AppConversationPaginationQuery', variables);

  expect(node.__id).toBe(nodeId);
  const connection = 'client:$:__App_conversation_messages_connection:edges:3';
  const records = app.environment.getStore().getSource();
  expect(records.get(connection.replace('$', nodeId))).toBeDefined();
});

test('a sent message enters the connection; it leaves it when it is deleted, as one does that was read', async () => {
  await using app = await startApp();
  const { messages } = await app.query('AppMessagesQuery', FIRST_PAGE);
  const [first, read, last] = ids(messages);
  const connections = [messages.__id];
  const shown = () => ids(app.shown('AppMessagesQuery', FIRST_PAGE).messages);
  const remove = (id: string | undefined) =>
    app.mutate('AppDeleteMessageMutation', { input: { id }, connections });

  const input = { conversationId: LISBON, message: 'Platform nine.' };
  await app.mutate('AppSendMutation', { input, connections });
  const [sent, ...others] = shown();
  expect(others).toEqual([first, read, last]);
  await remove(sent);
  await remove(read);

  expect(shown()).toEqual([first, last]);
});

test('the record of a deleted conversation is gone', async () => {
  await using app = await startApp();
  const { conversations } = await app.query('AppInboxQuery');
  const [deleted, ...others] = ids(conversations);

  await app.mutate('AppDeleteConversationMutation', { input: { id: deleted } });

  const { edges } = app.shown('AppInboxQuery').conversations;
  const nodes = edges.map(({ node }: { node: { id: string } | null }) => node?.id);
  expect(nodes).toEqual([undefined, ...others]);
});

test('a conversation that is archived changes wherever it is shown', async () => {
  await using app = await startApp();
  const { conversations } = await app.query('AppInboxQuery');
  const [id] = ids(conversations);
  const archivedAtIso = '2026-03-01T09:30:00.000Z';

  await app.mutate('AppArchiveMutation', { input: { id, archivedAtIso } });

  const [first] = app.shown('AppInboxQuery').conversations.edges;
  expect(first.node).toMatchObject({ id, archivedAtIso });
});
