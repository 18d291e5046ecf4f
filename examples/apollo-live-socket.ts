import { ApolloLink, HttpLink } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { OperationTypeNode } from 'graphql';
import { resumeLink } from './apollo-resume.ts';
import { createLiveSocket } from './live-socket.ts';

/** `uri`: such as `http://127.0.0.1:4000/graphql`. */
export function createLiveLink(
  uri: string,
  token: string,
  socket = createLiveSocket(uri, () => token),
) {
  return ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    resumeLink.concat(new GraphQLWsLink(socket)),
    new HttpLink({ uri, headers: { authorization: `Bearer ${token}` } }),
  );
}
