import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-sse';

/** `url`: such as `http://127.0.0.1:4000/graphql`. */
export function createLiveClient(url: string, getToken: () => string) {
  const headers = () => ({ authorization: `Bearer ${getToken()}` });
  const events = createClient({ url, headers });
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
