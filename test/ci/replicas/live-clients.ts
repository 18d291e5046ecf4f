import { ApolloClient, ApolloLink, gql, InMemoryCache } from '@apollo/client';
import { HttpLink } from '@apollo/client/link/http';
import { RetryLink } from '@apollo/client/link/retry';
import { createClient as createEventsClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { resumeLink } from '../../../examples/apollo-resume.ts';
import { resuming } from '../../../examples/live-resume.ts';

/** Subscribes over each transport with the client library of docs/live.md, as it is without settings; each goes on where it was. */

const CHAT = `subscription Chat($id: ID!, $resumeFrom: String) {
  messageChanged(conversationId: $id, resumeFrom: $resumeFrom) {
    kind messageId message { id message } resumeToken
  }
}`;

export interface Change {
  readonly kind: 'CREATED' | 'UPDATED' | 'DELETED';
  readonly messageId: string;
  readonly message: { readonly message: string } | null;
}

/** What a client learns. */
interface Sink {
  /** The connection is there: the first one, or a later one. */
  connected(): void;
  /** The subscription has begun: what happens from now on comes as an event. */
  begun(): void;
  /** The connection was lost. */
  lost(): void;
  changed(change: Change): void;
  /** An error that the library does not make up for, or the end. */
  failed(reason: unknown): void;
}

const KEEP_DATA = { errorPolicy: 'all' } as const;
const DEFAULTS = { query: KEEP_DATA, watchQuery: KEEP_DATA, mutate: KEEP_DATA };

interface Asked {
  /** Of /graphql. */
  readonly url: string;
  readonly token: string;
  readonly conversationId: string;
}

/** Returns the function that unsubscribes. */
type Subscribe = (asked: Asked, sink: Sink) => () => void;

/** No message of the protocol says that a subscription has begun. Unit: milliseconds. */
const SOCKET_BEGINS_MS = 1000;

const overSocket: Subscribe = ({ url, token, conversationId }, sink) => {
  let timer: NodeJS.Timeout;
  const client = createSocketClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: { authorization: `Bearer ${token}` },
    on: {
      connected() {
        sink.connected();
        timer = setTimeout(sink.begun, SOCKET_BEGINS_MS);
      },
      closed() {
        clearTimeout(timer);
        sink.lost();
      },
    },
  });
  const variables = { id: conversationId };
  client.subscribe({ query: CHAT, variables }, resuming(variables, toResults(sink)));
  return () => void client.dispose();
};

const overEvents: Subscribe = ({ url, token, conversationId }, sink) => {
  const client = createEventsClient({
    url,
    headers: { authorization: `Bearer ${token}` },
    fetchFn: watchedFetch(sink),
  });
  const variables = { id: conversationId };
  client.subscribe({ query: CHAT, variables }, resuming(variables, toResults(sink)));
  return client.dispose;
};

const overMultipart: Subscribe = ({ url, token, conversationId }, sink) => {
  const http = new HttpLink({
    uri: url,
    headers: { authorization: `Bearer ${token}` },
    fetch: watchedFetch(sink),
  });
  const client = new ApolloClient({
    link: ApolloLink.from([new RetryLink(), resumeLink, http]),
    cache: new InMemoryCache(),
    defaultOptions: DEFAULTS,
  });
  const query = gql(CHAT);
  const results = client.subscribe<{ messageChanged: Change }>({
    query,
    variables: { id: conversationId },
    fetchPolicy: 'no-cache',
  });
  const subscription = results.subscribe({
    next: ({ data, error }) => toResults(sink).next({ data, errors: error }),
    error: sink.failed,
    complete: () => sink.failed('complete'),
  });
  return () => {
    subscription.unsubscribe();
    client.stop();
  };
};

const toResults = ({ changed, failed }: Sink) => ({
  next({ data, errors }: { readonly data?: unknown; readonly errors?: unknown }) {
    if (errors !== undefined || data == null) failed(JSON.stringify(errors));
    else changed((data as { readonly messageChanged: Change }).messageChanged);
  },
  error: failed,
  complete: () => failed('complete'),
});

/** `fetch`, which says when an answer begins that lasts, and when it is over. */
const watchedFetch =
  ({ connected, begun, lost }: Sink): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || response.body === null) return response;
    connected();
    begun();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    response.body.pipeTo(writable).then(lost, lost);
    const { status, headers } = response;
    return new Response(readable, { status, headers });
  };

export const LIBRARIES: Readonly<Record<string, Subscribe>> = {
  'graphql-ws': overSocket,
  'graphql-sse': overEvents,
  'Apollo HttpLink and RetryLink': overMultipart,
};
