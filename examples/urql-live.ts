import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-sse';
import { waitToRetry } from './live-retry.ts';

/** `url`: such as `http://127.0.0.1:4000/graphql`. */
export function createLiveClient(url: string, getToken: () => string) {
  const headers = () => ({ authorization: `Bearer ${getToken()}` });
  const events = createClient({
    url,
    headers,
    // The default is to give up after five attempts.
    retryAttempts: Infinity,
    retry: waitToRetry,
  });
  return new Client({
    url,
    fetchOptions: () => ({ headers: headers() }),
    exchanges: [
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables = {} }) => ({
          subscribe: (sink) => ({
            unsubscribe: events.subscribe({ query, variables }, sink),
          }),
        }),
      }),
    ],
  });
}
