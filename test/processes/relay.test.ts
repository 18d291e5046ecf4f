import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type ConcreteRequest,
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type MutationParameters,
  Observable,
  RecordSource,
  requestSubscription,
  Store,
  type Variables,
} from 'relay-runtime';
import { beforeAll, expect, test } from 'vitest';
import {
  createMessageUpdater,
  createMessagingEnvironment,
} from '../../examples/relay-environment.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { expectToFollow } from '../support/followed-list.ts';
import { startTestGateway } from '../support/gateway.ts';

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
      message @prependNode(connections: $connections, edgeTypeName: "MessageEdge") { id message createdAt }
    }
  }`,
  `subscription AppChangesSubscription($id: ID!) {
    messageChanged(conversationId: $id) {
      kind messageNodeId clientMutationId message { id message createdAt }
    }
  }`,
  `mutation AppDeleteConversationMutation($input: DeleteConversationInput!) {
    deleteConversation(input: $input) { deletedConversationNodeId @deleteRecord }
  }`,
  `mutation AppArchiveMutation($input: UpdateConversationInput!) {
    updateConversation(input: $input) { conversation { archivedAtIso } }
  }`,
];

const require = createRequire(import.meta.url);
/** The path of the compiler for this system. */
const COMPILER: string = require('relay-compiler');
/** Ends a compiler that hangs; it takes a tenth of a second. Unit: milliseconds. */
const TIMEOUT_MS = 20_000;

/** The queries and mutations that Relay's compiler makes of the documents, and of the mutation in docs/clients.md, by name. */
const requests = new Map<string, ConcreteRequest>();
/** The file of their texts by their ids: the gateway runs no others. */
let manifest = '';
const settings = () => ({ TRUSTED_DOCUMENTS: manifest, LIVE_POLL_MS: '100' });

/** As docs/clients.md says, in a folder where the package is installed. */
beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'relay-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const installed = join(folder, 'node_modules/messaging-graphql');
  await mkdir(installed, { recursive: true });
  await cp('schema.graphql', join(installed, 'schema.graphql'));
  await mkdir(join(folder, 'src'));
  const documented = readDocs('graphql').replace('mutation ', 'mutation App');
  const app = [...DOCUMENTS, documented].map((text) => `graphql\`${text}\`;\n`);
  await writeFile(join(folder, 'src/App.js'), app.join(''));
  // The tests load what the compiler writes as it is: JavaScript, and without `import`.
  const config = {
    ...JSON.parse(readDocs('json')),
    language: 'javascript',
    eagerEsModules: false,
    persistConfig: { file: './persisted.json' },
  };
  manifest = join(folder, 'persisted.json');
  await writeFile(manifest, '{}');
  await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config));

  await promisify(execFile)(COMPILER, [], { cwd: folder, timeout: TIMEOUT_MS });

  const output = join(folder, 'src/__generated__');
  for (const file of await readdir(output)) {
    const artifact = require(join(output, file));
    if (artifact.kind === 'Request') requests.set(artifact.params.name, artifact);
  }
  const all = stack.move();
  return () => all.disposeAsync();
});

/** The first block of a language in the section about Relay, as frontend developers copy it. */
function readDocs(language: string): string {
  const document = readFileSync('docs/clients.md', 'utf8');
  const block = new RegExp(`^## Relay$.*?^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms');
  return block.exec(document)?.[1] ?? '';
}

function requestOf(name: string): ConcreteRequest {
  const request = requests.get(name);
  if (request === undefined) throw new Error(`the compiler made no ${name}`);
  return request;
}

/** A Relay application, a gateway, and the embedded service. */
async function startApp() {
  await using started = new AsyncDisposableStack();
  const service = started.use(await startEmbeddedService());
  const gateway = started.use(await startTestGateway(service.url, settings()));
  const environment = createMessagingEnvironment(`${gateway.url}/graphql`, () => TOKEN);
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
  const text = readFileSync(manifest, 'utf8');

  expect([...requests.keys()].toSorted()).toEqual([
    'AppArchiveMutation',
    'AppChangesSubscription',
    'AppConversationPaginationQuery',
    'AppDeleteConversationMutation',
    'AppDeleteMessageMutation',
    'AppInboxQuery',
    'AppMessagesQuery',
    'AppSendMutation',
  ]);
  expect(Object.keys(JSON.parse(text))).toHaveLength(requests.size);
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

test.each([
  ['before', 300],
  ['after', 0],
])(
  'an optimistic message is never shown twice, if its event comes %s its answer',
  async (_, lateMs) => {
    await using service = await startEmbeddedService();
    await using gateway = await startTestGateway(service.url, settings());
    const url = `${gateway.url}/graphql`;
    const live = createMessagingEnvironment(url, () => TOKEN).getNetwork();
    const environment = new Environment({
      network: {
        execute: (request, ...others) =>
          live
            .execute(request, ...others)
            .mergeMap((answer) =>
              Observable.from(
                sleep(request.operationKind === 'mutation' ? lateMs : 0, answer),
              ),
            ),
      },
      store: new Store(new RecordSource()),
      getDataID: (record) => record.nodeId,
    });
    const request = requestOf('AppMessagesQuery');
    await fetchQuery(environment, request, FIRST_PAGE).toPromise();
    const read = () => lookUp(environment, request, FIRST_PAGE).messages;
    const connection: string = read().__id;
    const texts = (): string[] =>
      read().edges.map(({ node }: { node: { message: string } }) => node.message);
    const shown: string[][] = [];
    const { fragment } = createOperationDescriptor(request, FIRST_PAGE);
    environment.subscribe(environment.lookup(fragment), () => shown.push(texts()));

    /** The keys of messages that are shown and have no answer yet. */
    const waiting = new Set<unknown>();
    const subscription = requestSubscription(environment, {
      subscription: requestOf('AppChangesSubscription'),
      variables: { id: LISBON },
      updater: createMessageUpdater(connection, waiting),
    });
    await expect
      .poll(async () =>
        (await gateway.metrics()).match(/^gateway_live_subscriptions 1$/m),
      )
      .toBeTruthy();
    const send = (text: string) =>
      new Promise<void>((resolve, reject) => {
        const clientMutationId = crypto.randomUUID();
        const message = {
          id: clientMutationId,
          nodeId: clientMutationId,
          message: text,
          createdAt: Number.MAX_SAFE_INTEGER,
        };
        waiting.add(clientMutationId);
        commitMutation<MutationParameters & { rawResponse: object }>(environment, {
          mutation: requestOf('AppSendMutation'),
          variables: {
            input: { conversationId: LISBON, message: text, clientMutationId },
            connections: [connection],
          },
          optimisticResponse: { sendMessage: { message } },
          onCompleted: () => resolve(void waiting.delete(clientMutationId)),
          onError: reject,
        });
      });

    const first = texts();
    await Promise.all([send('one'), send('two')]);
    await send('three');
    await sleep(400);

    expect(shown.filter((each) => new Set(each).size < each.length)).toEqual([]);
    expect(shown[0]).toEqual(['one', ...first]);
    expect(texts().slice(0, 3).toSorted()).toEqual(['one', 'three', 'two']);
    subscription.dispose();
  },
);

test('a list follows the events of its messages', () =>
  expectToFollow(async (url) => {
    const environment = createMessagingEnvironment(url, () => TOKEN);
    const request = requestOf('AppMessagesQuery');
    const variables = { conversationId: 'c1', first: 3 };
    await fetchQuery(environment, request, variables).toPromise();
    const read = () => lookUp(environment, request, variables).messages;
    const subscription = requestSubscription(environment, {
      subscription: requestOf('AppChangesSubscription'),
      variables: { id: 'c1' },
      updater: createMessageUpdater(read().__id),
    });
    return {
      texts: () => read().edges.map(({ node }: { node: Data }) => node.message),
      [Symbol.dispose]: subscription.dispose,
    };
  }, settings()));

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
