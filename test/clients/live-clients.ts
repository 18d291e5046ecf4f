import { CombinedGraphQLErrors, CombinedProtocolErrors, gql } from '@apollo/client';
import { CombinedError } from '@urql/core';
import { createMessagingClient } from '../../examples/apollo-client.ts';
import { createMessagingEnvironment } from '../../examples/relay-environment.ts';
import { createMessagingClient as createUrql } from '../../examples/urql-client.ts';

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

const CHAT_TEXT = `subscription Chat($id: ID!, $resumeFrom: String) {
  messageChanged(conversationId: $id, resumeFrom: $resumeFrom) {
    kind resumeToken message { id nodeId message }
  }
}`;
const CHAT = gql(CHAT_TEXT);
const SEND_TEXT = `mutation Send($id: ID!, $message: String!) {
  sendMessage(input: { conversationId: $id, message: $message }) { message { id } }
}`;
const SEND = gql(SEND_TEXT);

const apollo =
  (options: { readonly socket?: null } = {}): StartClient =>
  (uri, token, id) => {
    const client = createMessagingClient(uri, () => token, options);
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

/** A request as Relay's compiler describes it, as far as the network needs it. */
const toRequest = (operationKind: 'subscription' | 'mutation', text: string) => ({
  cacheID: text,
  id: null,
  metadata: {},
  name: operationKind === 'mutation' ? 'Send' : 'Chat',
  operationKind,
  text,
});

/** The network of Relay alone. */
const relay: StartClient = (url, token, id) => {
  const network = createMessagingEnvironment(url, () => token).getNetwork();
  const events: string[] = [];
  const codes: string[] = [];
  const subscription = network
    .execute(toRequest('subscription', CHAT_TEXT), { id }, {})
    .subscribe({
      next: (result) =>
        events.push(
          toEvent((result as { data: { messageChanged: Change } }).data.messageChanged),
        ),
      // An error of the operation is a list, as the server sent it.
      error: (error: unknown) => codes.push(...[error as never].flat().map(codeOf)),
    });
  return {
    events,
    codes,
    send: (message) =>
      network
        .execute(toRequest('mutation', SEND_TEXT), { id, message }, {})
        .toPromise()
        .then(
          (answer) => answer !== undefined && !('errors' in answer),
          () => false,
        ),
    [Symbol.dispose]: () => subscription.unsubscribe(),
  };
};

/** The real clients, each set up by the program that docs/live.md links. */
export const CLIENTS: readonly (readonly [name: string, start: StartClient])[] = [
  ['Apollo Client by HttpLink', apollo({ socket: null })],
  ['Apollo Client by graphql-ws', apollo()],
  ['urql by graphql-sse', urql],
  ['Relay by graphql-ws', relay],
];
