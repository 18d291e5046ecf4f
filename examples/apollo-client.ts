import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
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

/** `uri`: such as `http://127.0.0.1:4000/graphql`. */
export const createMessagingClient = (uri: string, token: string) =>
  new ApolloClient({
    link: new HttpLink({ uri, headers: { authorization: `Bearer ${token}` } }),
    cache: new InMemoryCache({ typePolicies: messagingTypePolicies }),
    defaultOptions: { query: KEEP_DATA, watchQuery: KEEP_DATA, mutate: KEEP_DATA },
  });
