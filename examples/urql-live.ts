import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-sse';
import { resuming } from './live-resume.ts';
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
        forwardSubscription: ({ query = '', variables: given }) => ({
          subscribe(sink) {
            const variables: Record<string, unknown> = { ...given };
            const body = { query, variables };
            return { unsubscribe: events.subscribe(body, resuming(variables, sink)) };
          },
        }),
      }),
    ],
  });
}
