import { ApolloLink, HttpLink } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { resumeLink } from './apollo-resume.ts';
import { waitToRetry } from './live-retry.ts';

/** `uri`: such as `http://127.0.0.1:4000/graphql`. */
export function createLiveLink(uri: string, token: string) {
  const authorization = `Bearer ${token}`;
  const socket = createClient({
    url: uri.replace(/^http/, 'ws'),
    connectionParams: { authorization },
    // Without these, the first attempt that finds no gateway is the last one.
    shouldRetry: () => true,
    retryAttempts: Infinity,
    retryWait: waitToRetry,
  });
  return ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    resumeLink.concat(new GraphQLWsLink(socket)),
    new HttpLink({ uri, headers: { authorization } }),
  );
}
