import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import type { TypePolicies } from '@apollo/client/cache';
import { ServerError, ServerParseError } from '@apollo/client/errors';
import { SetContextLink } from '@apollo/client/link/context';
import { RetryLink } from '@apollo/client/link/retry';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import type { Client } from 'graphql-ws';
import { catchError, concatMap, defer, EMPTY, Observable, Subject, tap } from 'rxjs';
import { resuming } from './live-reconnect.ts';
import { createLiveSocket } from './live-socket.ts';

/** With errorPolicy `none`, Apollo's default, one field that fails drops the data of the whole answer. */
const KEEP_DATA = { errorPolicy: 'all' } as const;
type KeepData = typeof KEEP_DATA;

declare module '@apollo/client' {
  namespace ApolloClient {
    namespace DeclareDefaultOptions {
      interface Query extends KeepData {}
      interface WatchQuery extends KeepData {}
      interface Mutate extends KeepData {}
    }
  }
}

/** Lists are joined by their `edges`, so select these and `pageInfo`. All objects are stored by `id`, the default. */
const typePolicies: TypePolicies = {
  Query: {
    fields: {
      // One stored list for each combination of filters.
      conversations: relayStylePagination(['muted', 'archived', 'pinned', 'groupId']),
      messages: relayStylePagination(['conversationId', 'order']),
    },
  },
  Conversation: {
    // For previews: one with `first: 1` replaces the pages that were read. So page through `Query.messages` instead.
    fields: { messages: relayStylePagination(['order']) },
  },
  Message: {
    // The newest reactions replace the others. Otherwise Apollo warns in development when there are fewer than before.
    fields: { reactions: { merge: false } },
  },
};

const isSubscription = ({ operationType }: ApolloLink.Operation) =>
  operationType === 'subscription';
/** Of all mutations, only `sendMessage` happens once however often it is sent. */
const isOnce = ({ variables: { input } }: ApolloLink.Operation) =>
  Boolean(input?.clientMutationId && input.conversationId);

/** A little less than the ten minutes for which the gateway knows a `clientMutationId`. Unit: milliseconds. */
const KNOWN_MS = 9 * 60_000;

/** Sends a message with a `clientMutationId` again if the answer was lost: it arrives once. Subscriptions connect again. */
const createRetryLink = () =>
  new RetryLink({
    attempts(_count, operation, error) {
      if (isSubscription(operation)) return true;
      // With these, "fetch" says that the connection broke, or that a time was up. Any other error would only come again.
      const isLost = error instanceof TypeError || error.name === 'TimeoutError';
      const status =
        ServerError.is(error) || ServerParseError.is(error) ? error.statusCode : 0;
      if (!isLost && status !== 429 && status < 500) return false;
      const isKnown = Date.now() - operation.getContext().firstSent < KNOWN_MS;
      return isOnce(operation) && isKnown;
    },
    delay: (count, operation) =>
      Math.random() *
      Math.min(300 * 2 ** count, isSubscription(operation) ? 30_000 : 10_000),
  });

/** Sends messages with a `clientMutationId` one after another, so that they arrive in the order in which they were written. */
function createQueueLink() {
  const queue = new Subject<Observable<unknown>>();
  queue.pipe(concatMap((one) => one)).subscribe();
  return new ApolloLink((operation, forward) => {
    if (!isOnce(operation)) return forward(operation);
    const skipErrors = catchError(() => EMPTY);
    const send = defer(() => {
      operation.setContext({ firstSent: Date.now() });
      return forward(operation);
    });
    return new Observable((sink) => queue.next(send.pipe(tap(sink), skipErrors)));
  });
}

/** When a subscription connects again, it asks for what was missed. */
const resumeLink = new ApolloLink(
  (operation, forward) =>
    new Observable((sink) =>
      forward(operation).subscribe(resuming(operation.variables, sink)),
    ),
);

/** `socket`: of the subscriptions; null: they go over HTTP (multipart). */
type Options = { socket?: Client | null; fetch?: typeof globalThis.fetch };

/** Reads, pages, sends each message once, subscribes, and comes back by itself. `url`: such as `http://127.0.0.1:4000/graphql`. */
export function createMessagingClient(
  url: string,
  getToken: () => string,
  { socket = createLiveSocket(url, getToken), fetch = globalThis.fetch }: Options = {},
) {
  const http = ApolloLink.from([
    createQueueLink(),
    createRetryLink(),
    new SetContextLink(({ headers }) => ({
      headers: { ...headers, authorization: `Bearer ${getToken()}` },
    })),
    new HttpLink({ uri: url, fetch }),
  ]);
  const live = socket ? new GraphQLWsLink(socket) : http;
  return new ApolloClient({
    link: resumeLink.concat(ApolloLink.split(isSubscription, live, http)),
    cache: new InMemoryCache({ typePolicies }),
    defaultOptions: { query: KEEP_DATA, watchQuery: KEEP_DATA, mutate: KEEP_DATA },
  });
}
