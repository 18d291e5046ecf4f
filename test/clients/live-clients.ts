import {
  ApolloClient,
  CombinedGraphQLErrors,
  CombinedProtocolErrors,
  gql,
  InMemoryCache,
} from '@apollo/client';
import { CombinedError } from '@urql/core';
import { Environment, RecordSource, requestSubscription, Store } from 'relay-runtime';
import { createLiveLink as createMultipart } from '../../examples/apollo-live-multipart.ts';
import { createLiveLink as createSocket } from '../../examples/apollo-live-socket.ts';
import { createLiveNetwork } from '../../examples/relay-live.ts';
import { createLiveClient as createUrql } from '../../examples/urql-live.ts';
import { CHAT_TEXT, chatArtifact } from './relay-artifact.ts';

interface Change {
  readonly kind: string;
  readonly message: { readonly id: string; readonly message: string } | null;
}

/** A client that has subscribed to the messages of a conversation. */
interface LiveClient extends Disposable {
  /** Each event, as `CREATED text`; of a deletion its kind alone. */
  readonly events: string[];
  /** The codes of the errors that have come. */
  readonly codes: string[];
  /** Sends a message to the conversation; resolves to whether it was answered without errors. */
  send(message: string): Promise<boolean>;
}

type StartClient = (uri: string, token: string, conversationId: string) => LiveClient;

const toEvent = ({ kind, message }: Change): string =>
  message === null ? kind : `${kind} ${message.message}`;

const codeOf = ({ extensions }: { readonly extensions?: Record<string, unknown> }) =>
  String(extensions?.code);

const CHAT = gql(CHAT_TEXT);
const SEND_TEXT = `mutation Send($id: ID!, $message: String!) {
  sendMessage(input: { conversationId: $id, message: $message }) { message { id } }
}`;
const SEND = gql(SEND_TEXT);

const KEEP_DATA = { errorPolicy: 'all' } as const;
const DEFAULTS = { query: KEEP_DATA, watchQuery: KEEP_DATA, mutate: KEEP_DATA };

/** Apollo Client, with whatever link. */
const apollo =
  (createLink: typeof createMultipart): StartClient =>
  (uri, token, id) => {
    const client = new ApolloClient({
      link: createLink(uri, token),
      cache: new InMemoryCache(),
      defaultOptions: DEFAULTS,
    });
    const events: string[] = [];
    const codes: string[] = [];
    const observable = client.subscribe<{ messageChanged: Change }>({
      query: CHAT,
      variables: { id },
    });
    const subscription = observable.subscribe(({ data, error }) => {
      if (data !== undefined) events.push(toEvent(data.messageChanged));
      const isKnown = CombinedGraphQLErrors.is(error) || CombinedProtocolErrors.is(error);
      if (isKnown) codes.push(...error.errors.map(codeOf));
      else if (error !== undefined) codes.push(error.message);
    });
    return {
      events,
      codes,
      async send(message) {
        const { error } = await client.mutate({
          mutation: SEND,
          variables: { id, message },
        });
        return error === undefined;
      },
      [Symbol.dispose]() {
        subscription.unsubscribe();
        client.stop();
      },
    };
  };

const toCodes = ({ networkError, graphQLErrors }: CombinedError): string[] =>
  networkError === undefined ? graphQLErrors.map(codeOf) : [networkError.message];

const urql: StartClient = (url, token, id) => {
  const client = createUrql(url, () => token);
  const events: string[] = [];
  const codes: string[] = [];
  const subscription = client
    .subscription<{ messageChanged: Change }>(CHAT_TEXT, { id })
    .subscribe(({ data, error, hasNext }) => {
      // At its end urql shows the last result again.
      if (!hasNext) return;
      if (data != null) events.push(toEvent(data.messageChanged));
      if (error instanceof CombinedError) codes.push(...toCodes(error));
    });
  return {
    events,
    codes,
    async send(message) {
      const { error } = await client.mutation(SEND_TEXT, { id, message }).toPromise();
      return error === undefined;
    },
    [Symbol.dispose]: () => subscription.unsubscribe(),
  };
};

const relay: StartClient = (url, token, id) => {
  const environment = new Environment({
    getDataID: (record) => record.nodeId as string,
    network: createLiveNetwork(url, () => token),
    store: new Store(new RecordSource()),
  });
  const events: string[] = [];
  const codes: string[] = [];
  const subscription = requestSubscription<{
    readonly variables: { readonly id: string };
    readonly response: { readonly messageChanged: Change };
  }>(environment, {
    subscription: chatArtifact,
    variables: { id },
    onNext: (data) => {
      if (data != null) events.push(toEvent(data.messageChanged));
    },
    // An error of the operation is a list, as the server sent it.
    onError: (error) => codes.push(...[error as never].flat().map(codeOf)),
  });
  const mutation = {
    cacheID: 'Send',
    id: null,
    text: SEND_TEXT,
    name: 'Send',
    metadata: {},
  };
  return {
    events,
    codes,
    send: (message) =>
      environment
        .getNetwork()
        .execute({ ...mutation, operationKind: 'mutation' }, { id, message }, {})
        .toPromise()
        .then(
          (answer) => answer !== undefined && !('errors' in answer),
          () => false,
        ),
    [Symbol.dispose]: () => subscription.dispose(),
  };
};

/** The real clients, each set up by the program that docs/live.md links. */
export const CLIENTS: readonly (readonly [name: string, start: StartClient])[] = [
  ['Apollo Client by HttpLink', apollo(createMultipart)],
  ['Apollo Client by graphql-ws', apollo(createSocket)],
  ['urql by graphql-sse', urql],
  ['Relay by graphql-ws', relay],
];
