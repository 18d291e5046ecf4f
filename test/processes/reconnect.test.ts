import { ApolloClient, gql } from '@apollo/client';
import { InMemoryCache } from '@apollo/client/cache';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { type Client, createClient, type Sink } from 'graphql-ws';
import {
  ConnectionHandler,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type GraphQLResponse,
  Network,
  Observable,
  RecordSource,
  requestSubscription,
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

interface Change {
  readonly kind: 'CREATED' | 'UPDATED' | 'DELETED';
  readonly messageId: string;
  /** The id under which Relay's store has the message. */
  readonly messageNodeId: string;
  readonly message: { readonly id: string; readonly message: string } | null;
}

/** The list of messages in the store of a client library. */
interface StoredList {
  /** Reads the first page again. */
  read(): Promise<unknown>;
  /** Applies an event, also one that the page has already. */
  apply(change: Change): void;
  /** Each message as `id text`, newest first. */
  shown(): string[];
}

interface StartedList extends Disposable {
  readonly shown: StoredList['shown'];
}

type StartList = (uri: string) => StartedList;

/** Keeps a list up to date: reads it whenever the subscription has begun, and applies events to what was read. */
function keep(list: StoredList) {
  let arrived: Change[] = [];
  return {
    async begun() {
      const duringRead: Change[] = [];
      arrived = duringRead;
      await list.read();
      for (const change of duringRead) list.apply(change);
    },
    changed(change: Change) {
      arrived.push(change);
      list.apply(change);
    },
  };
}

const connect = (uri: string, begun: () => void): Client =>
  createClient({
    url: uri.replace(/^http/, 'ws'),
    connectionParams: { authorization: `Bearer ${TOKEN}` },
    on: { connected: () => void setTimeout(begun, BEGINS_MS) },
  });

const LIST = gql`query List($id: ID!) {
  messages(conversationId: $id, first: ${SIZE}) {
    edges { cursor node { id message } }
    pageInfo { hasNextPage endCursor }
  }
}`;
const CHAT = gql`subscription Chat($id: ID!) {
  messageChanged(conversationId: $id) { kind messageId messageNodeId message { id message } }
}`;

interface Edge {
  readonly __typename: string;
  readonly cursor: string;
  readonly node: { readonly id: string; readonly message: string };
}

interface ListData {
  readonly messages: { readonly edges: readonly Edge[] };
}

const apollo: StartList = (uri) => {
  const variables = { id: LONGEST };
  const socket = connect(uri, () => void kept.begun());
  const client = new ApolloClient({
    link: new GraphQLWsLink(socket),
    cache: new InMemoryCache({ typePolicies: messagingTypePolicies }),
    defaultOptions: {
      query: { errorPolicy: 'all' },
      watchQuery: { errorPolicy: 'all' },
      mutate: { errorPolicy: 'all' },
    },
  });
  const list: StoredList = {
    read: () => client.query({ query: LIST, variables, fetchPolicy: 'network-only' }),
    apply({ kind, messageId, message }) {
      // The cache has what was changed: it keeps objects by their id.
      if (kind === 'UPDATED') return;
      client.cache.updateQuery<ListData>({ query: LIST, variables }, (data) => {
        if (data === null) return data;
        const others = data.messages.edges.filter(({ node }) => node.id !== messageId);
        const added = { __typename: 'MessageEdge', cursor: '', node: message };
        const edges = kind === 'CREATED' ? [added as Edge, ...others] : others;
        return { messages: { ...data.messages, edges } };
      });
    },
    shown() {
      const data = client.cache.readQuery<ListData>({ query: LIST, variables });
      return (data?.messages.edges ?? []).map(({ node }) => `${node.id} ${node.message}`);
    },
  };
  const kept = keep(list);
  const subscription = client
    .subscribe<{ messageChanged: Change }>({ query: CHAT, variables })
    .subscribe(({ data }) => data && kept.changed(data.messageChanged));
  return {
    shown: list.shown,
    [Symbol.dispose]() {
      subscription.unsubscribe();
      client.stop();
      void socket.dispose();
    },
  };
};

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

function requestOf(name: string) {
  const request = compiled.requests.get(name);
  if (request === undefined) throw new Error(`the compiler made no ${name}`);
  return request;
}

const relay: StartList = (uri) => {
  const variables = { id: LONGEST };
  const query = requestOf('AppListQuery');
  const socket = connect(uri, () => void kept.begun());
  const ask = (text: string | null, given: object) =>
    Observable.create<GraphQLResponse>((sink) =>
      socket.subscribe({ query: text ?? '', variables: { ...given } }, sink as Sink),
    );
  const environment = new Environment({
    getDataID: (record) => record.nodeId as string,
    network: Network.create(
      ({ text }, given) => ask(text, given),
      ({ text }, given) => ask(text, given),
    ),
    store: new Store(new RecordSource()),
  });
  const list: StoredList = {
    read: () => fetchQuery(environment, query, variables).toPromise(),
    apply({ kind, messageNodeId }) {
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
    shown() {
      const { fragment } = createOperationDescriptor(query, variables);
      const data = environment.lookup(fragment).data as unknown as ListData | undefined;
      return (data?.messages?.edges ?? []).map(
        ({ node }) => `${node.id} ${node.message}`,
      );
    },
  };
  const kept = keep(list);
  const subscription = requestSubscription<{
    readonly variables: typeof variables;
    readonly response: { readonly messageChanged: Change };
  }>(environment, {
    subscription: requestOf('AppChatSubscription'),
    variables,
    onNext: (data) => data != null && kept.changed(data.messageChanged),
  });
  return {
    shown: list.shown,
    [Symbol.dispose]() {
      subscription.dispose();
      void socket.dispose();
    },
  };
};

const SEND = `mutation ($m: String!) {
  sendMessage(input: { conversationId: "${LONGEST}", message: $m }) { message { id } }
}`;
const DELETE =
  'mutation ($id: ID!) { deleteMessage(input: { id: $id }) { deletedMessageId } }';
const CHANGE =
  'mutation ($id: ID!) { updateMessage(input: { id: $id, message: "changed" }) { message { id } } }';

test.each([
  ["Apollo's store", apollo],
  ["Relay's store", relay],
])(
  '%s misses nothing and has nothing twice after the connection was lost',
  async (_name, start) => {
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
    using client = start(`${balancer.url}/graphql`);
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
