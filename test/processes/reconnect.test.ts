import { gql } from '@apollo/client';
import { InMemoryCache } from '@apollo/client/cache';
import { print } from 'graphql';
import { createClient } from 'graphql-ws';
import {
  ConnectionHandler,
  createOperationDescriptor,
  Environment,
  Network,
  type PayloadData,
  RecordSource,
  Store,
} from 'relay-runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messagingTypePolicies } from '../../examples/apollo-client-cache.ts';
import { startBalancer } from '../support/balancer.ts';
import { startTestGateway } from '../support/gateway.ts';
import { LONGEST, startLiveWorld } from '../support/live.ts';
import { type Compiled, compileApp } from './relay.ts';

/** A client loses its connection, and does what docs/live.md asks for: then its store misses nothing, and has nothing twice. */

const TOKEN = 'ada-sample-token';
const SIZE = 10;
/** docs/live.md: no message over a WebSocket says that a subscription has begun. Unit: milliseconds. */
const BEGINS_MS = 1000;

const variables = { id: LONGEST };

interface Change {
  readonly kind: 'CREATED' | 'UPDATED' | 'DELETED';
  readonly messageId: string;
  /** The id under which Relay's store has the message. */
  readonly messageNodeId: string;
  readonly message: { readonly id: string; readonly message: string } | null;
}

/** The store of a client library, with a list of messages. */
interface ListStore {
  /** The text of the query for the first page, and of the subscription. */
  readonly list: string;
  readonly chat: string;
  /** Takes what the query was answered. */
  readPage(data: object): void;
  /** Takes an event, also one that the page has already. */
  apply(data: { readonly messageChanged: Change }): void;
  /** Each message as `id text`, newest first. */
  shown(): string[];
}

/** Keeps a list up to date: reads it whenever the subscription has begun, and applies events to what was read. */
function keep(uri: string, store: ListStore): Disposable {
  let arrived: Parameters<ListStore['apply']>[0][] = [];
  const socket = createClient({
    url: uri.replace(/^http/, 'ws'),
    connectionParams: { authorization: `Bearer ${TOKEN}` },
    on: { connected: () => void setTimeout(begun, BEGINS_MS) },
  });
  async function begun() {
    const duringRead: typeof arrived = [];
    arrived = duringRead;
    for await (const { data } of socket.iterate({ query: store.list, variables }))
      store.readPage(data ?? {});
    for (const data of duringRead) store.apply(data);
  }
  socket.subscribe<(typeof arrived)[0]>(
    { query: store.chat, variables },
    {
      next({ data }) {
        if (data == null) return;
        arrived.push(data);
        store.apply(data);
      },
      error: () => {},
      complete: () => {},
    },
  );
  return { [Symbol.dispose]: () => void socket.dispose() };
}

interface Edge {
  readonly __typename: string;
  readonly cursor: string;
  readonly node: { readonly id: string; readonly message: string };
}

interface ListData {
  readonly messages: { readonly edges: readonly Edge[] };
}

const toLines = (data: ListData | null | undefined): string[] =>
  (data?.messages?.edges ?? []).map(({ node }) => `${node.id} ${node.message}`);

function createApolloStore(): ListStore {
  const cache = new InMemoryCache({ typePolicies: messagingTypePolicies });
  const list = cache.transformDocument(gql`query List($id: ID!) {
    messages(conversationId: $id, first: ${SIZE}) {
      edges { cursor node { id message } }
      pageInfo { hasNextPage endCursor }
    }
  }`);
  const chat = cache.transformDocument(gql`subscription Chat($id: ID!) {
    messageChanged(conversationId: $id) { kind messageId messageNodeId message { id message } }
  }`);
  return {
    list: print(list),
    chat: print(chat),
    readPage: (data) => void cache.writeQuery({ query: list, variables, data }),
    apply(data) {
      // Objects are kept by their id: this is all that a changed message needs.
      cache.writeQuery({ query: chat, variables, data });
      const { kind, messageId, message } = data.messageChanged;
      if (kind === 'UPDATED') return;
      cache.updateQuery<ListData>({ query: list, variables }, (stored) => {
        if (stored === null) return stored;
        const others = stored.messages.edges.filter(({ node }) => node.id !== messageId);
        const added = { __typename: 'MessageEdge', cursor: '', node: message };
        const edges = kind === 'CREATED' ? [added as Edge, ...others] : others;
        return { messages: { ...stored.messages, edges } };
      });
    },
    shown: () => toLines(cache.readQuery<ListData>({ query: list, variables })),
  };
}

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileApp([
    `query AppListQuery($id: ID!) {
      messages(conversationId: $id, first: ${SIZE}) @connection(key: "AppListQuery_messages") {
        edges { node { id message } }
      }
    }`,
    `subscription AppChatSubscription($id: ID!) {
      messageChanged(conversationId: $id) { kind messageId messageNodeId message { id message } }
    }`,
  ]);
});
afterAll(() => compiled[Symbol.asyncDispose]());

/** An operation that Relay's compiler made. */
function operationOf(name: string) {
  const request = compiled.requests.get(name);
  if (request === undefined) throw new Error(`the compiler made no ${name}`);
  return createOperationDescriptor(request, variables);
}

function createRelayStore(): ListStore {
  const list = operationOf('AppListQuery');
  const chat = operationOf('AppChatSubscription');
  const environment = new Environment({
    getDataID: (record) => record.nodeId as string,
    network: Network.create(() => Promise.reject(new Error('not called'))),
    store: new Store(new RecordSource()),
  });
  environment.retain(list);
  return {
    list: list.request.node.params.text ?? '',
    chat: chat.request.node.params.text ?? '',
    readPage: (data) => environment.commitPayload(list, data as PayloadData),
    apply(data) {
      environment.commitPayload(chat, data as unknown as PayloadData);
      const { kind, messageNodeId } = data.messageChanged;
      if (kind === 'UPDATED') return;
      environment.commitUpdate((store) => {
        const filters = { conversationId: LONGEST };
        const key = 'AppListQuery_messages';
        const messages = ConnectionHandler.getConnection(store.getRoot(), key, filters);
        if (messages == null) return;
        ConnectionHandler.deleteNode(messages, messageNodeId);
        const node = store.get(messageNodeId);
        if (kind === 'DELETED' || node == null) return;
        const type = 'MessageEdge';
        const edge = ConnectionHandler.createEdge(store, messages, node, type);
        ConnectionHandler.insertEdgeBefore(messages, edge);
      });
    },
    shown: () =>
      toLines(environment.lookup(list.fragment).data as unknown as ListData | undefined),
  };
}

const SEND = `mutation ($m: String!) {
  sendMessage(input: { conversationId: "${LONGEST}", message: $m }) { message { id } }
}`;
const DELETE =
  'mutation ($id: ID!) { deleteMessage(input: { id: $id }) { deletedMessageId } }';
const CHANGE =
  'mutation ($id: ID!) { updateMessage(input: { id: $id, message: "changed" }) { message { id } } }';

test.each([
  ["Apollo's store", createApolloStore],
  ["Relay's store", createRelayStore],
])(
  '%s misses nothing and has nothing twice after the connection was lost',
  async (_name, createStore) => {
    await using world = await startLiveWorld({}, { LIVE_POLL_MS: '600000' });
    await using other = await startTestGateway(world.service.url);
    await using balancer = await startBalancer(world.gateway.url);
    let at: Pick<typeof other, 'ask'> = world.gateway;
    const ask = async (query: string, variables: Record<string, unknown>) =>
      (await at.ask(query, { token: TOKEN, variables })).data;
    /** The list as it is now, as long as it is shown. */
    const expected = async (length: number): Promise<string[]> => {
      const query = `query ($n: Int!) {
      messages(conversationId: "${LONGEST}", first: $n) { nodes { id message } }
    }`;
      const { messages } = await ask(query, { n: length });
      return messages.nodes.map((node: Edge['node']) => `${node.id} ${node.message}`);
    };
    const client = createStore();
    using _kept = keep(`${balancer.url}/graphql`, client);
    const isCurrent = async () => {
      const shown = client.shown();
      expect(shown.length).toBeGreaterThanOrEqual(SIZE - 1);
      expect(shown).toEqual(await expected(shown.length));
      return shown;
    };
    await expect.poll(() => client.shown().length).toBe(SIZE);
    const sent = (await ask(SEND, { m: 'before' })).sendMessage.message.id;
    await expect.poll(() => client.shown()[0]).toBe(`${sent} before`);
    const [, first = '', second = ''] = await isCurrent();
    const idOf = (line: string) => line.slice(0, line.indexOf(' '));

    balancer.choose(other.url);
    await world.gateway.close();
    at = other;
    await ask(SEND, { m: 'missed' });
    await ask(DELETE, { id: idOf(first) });
    await ask(CHANGE, { id: idOf(second) });
    const last = (await ask(SEND, { m: 'missed, too' })).sendMessage.message.id;

    await expect.poll(() => client.shown()[0]).toBe(`${last} missed, too`);
    await isCurrent();
    const later = (await ask(SEND, { m: 'after' })).sendMessage.message.id;
    await ask(DELETE, { id: last });
    await expect.poll(() => client.shown()[0]).toBe(`${later} after`);
    await expect
      .poll(() => client.shown().some((line) => line.startsWith(last)))
      .toBe(false);
    await isCurrent();
  },
  60_000,
);
