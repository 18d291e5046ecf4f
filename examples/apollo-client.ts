import { ApolloClient, type ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { messagingTypePolicies } from './apollo-client-cache.ts';

/** With errorPolicy `none`, Apollo's default, one field that fails costs the data of the whole answer. */
const KEEP_DATA = { errorPolicy: 'all' } as const;

declare module '@apollo/client' {
  namespace ApolloClient {
    namespace DeclareDefaultOptions {
      interface Query {
        errorPolicy: 'all';
      }
      interface WatchQuery {
        errorPolicy: 'all';
      }
      interface Mutate {
        errorPolicy: 'all';
      }
    }
  }
}

/** `uri`: such as `http://127.0.0.1:4000/graphql`. `link`: `createLiveLink` makes one that subscribes. */
export const createMessagingClient = (
  uri: string,
  token: string,
  link: ApolloLink = new HttpLink({
    uri,
    headers: { authorization: `Bearer ${token}` },
  }),
) =>
  new ApolloClient({
    link,
    cache: new InMemoryCache({ typePolicies: messagingTypePolicies }),
    defaultOptions: { query: KEEP_DATA, watchQuery: KEEP_DATA, mutate: KEEP_DATA },
  });
