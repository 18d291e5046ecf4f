import type { Sink } from 'graphql-ws';
import { type GraphQLResponse, Network, Observable } from 'relay-runtime';
import { resuming } from './live-resume.ts';
import { createLiveSocket } from './live-socket.ts';

/** `url`: such as `http://127.0.0.1:4000/graphql`. */
export function createLiveNetwork(url: string, getToken: () => string) {
  const headers = () => ({ authorization: `Bearer ${getToken()}` });
  const socket = createLiveSocket(url, getToken);
  return Network.create(
    async ({ id, text: query }, variables) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers(), 'content-type': 'application/json' },
        // The compiler gives an id alone if it persists the operations.
        body: JSON.stringify(query ? { query, variables } : { id, variables }),
      });
      return (await response.json()) as GraphQLResponse;
    },
    ({ text: query, name: operationName }, given) =>
      Observable.create<GraphQLResponse>((sink) => {
        const variables = { ...given };
        return socket.subscribe(
          { query: query ?? '', operationName, variables },
          resuming(variables, sink as Sink),
        );
      }),
  );
}
