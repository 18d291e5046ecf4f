import { ApolloLink, HttpLink } from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';
import { OperationTypeNode } from 'graphql';
import { resumeLink } from './apollo-resume.ts';

/** `uri`: such as `http://127.0.0.1:4000/graphql`. */
export function createLiveLink(uri: string, token: string) {
  const http = new HttpLink({ uri, headers: { authorization: `Bearer ${token}` } });
  // The default is to give up after five attempts, within some seconds.
  const retry = new RetryLink({ attempts: { max: Infinity }, delay: { max: 30_000 } });
  return ApolloLink.split(
    // RetryLink would send mutations twice, too.
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    ApolloLink.from([retry, resumeLink, http]),
    http,
  );
}
