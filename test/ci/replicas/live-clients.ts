import { gql } from '@apollo/client';
import { createClient as createEventsClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { createMessagingClient } from '../../../examples/apollo-client.ts';
import { resuming } from '../../../examples/live-reconnect.ts';

/** Subscribes over each transport with the client library of docs/live.md, graphql-ws and graphql-sse without settings; each goes on where it was. */

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
  const client = createMessagingClient(url, () => token, {
    socket: null,
    fetch: watchedFetch(sink),
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
