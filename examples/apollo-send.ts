import type { TypedDocumentNode } from '@apollo/client';
import { type ApolloCache, type ApolloClient, gql } from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';

interface Message {
  readonly __typename: 'Message';
  readonly id: string;
  readonly message: string;
}
interface Edge {
  readonly __typename: 'MessageEdge';
  readonly cursor: string;
  readonly node: Message;
}

/** Before `HttpLink`. Sends a mutation again whose answer was lost, if it has a `clientMutationId`, and thus arrives once. */
export const createRetryLink = () =>
  new RetryLink({
    attempts: {
      max: 5,
      retryIf: (_error, { variables }) => Boolean(variables.input?.clientMutationId),
    },
  });

export const NEWEST: TypedDocumentNode<{ messages: { edges: readonly Edge[] } | null }> =
  gql`query Newest($id: ID!) {
    messages(conversationId: $id, first: 20, order: NEWEST_FIRST) {
      edges { cursor node { id message } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;

const SEND: TypedDocumentNode<{ sendMessage: { message: Message | null } | null }> =
  gql`mutation Send($input: SendMessageInput!) {
    sendMessage(input: $input) { message { id message } }
  }`;

const CHANGES: TypedDocumentNode<{
  messageChanged: {
    kind: string;
    clientMutationId: string | null;
    message: Message | null;
  };
}> = gql`subscription Changes($id: ID!) {
  messageChanged(conversationId: $id) { kind clientMutationId message { id message } }
}`;

/** Shows the messages of a conversation, under NEWEST: each once, and those that are sent here before they are sent. */
export function createChat(client: ApolloClient, id: string) {
  /** The keys of messages that are shown and have no answer yet. */
  const waiting = new Set<string | null>();

  const show = (cache: ApolloCache, message: Message | null | undefined) =>
    cache.updateQuery({ query: NEWEST, variables: { id } }, (data) => {
      if (!message || !data?.messages) return;
      const { edges } = data.messages;
      if (edges.some(({ node }) => node.id === message.id)) return;
      const edge: Edge = { __typename: 'MessageEdge', cursor: '', node: message };
      return { ...data, messages: { ...data.messages, edges: [edge, ...edges] } };
    });

  return {
    /** To be called when the list was read. */
    watch: () =>
      client.subscribe({ query: CHANGES, variables: { id } }).subscribe(({ data }) => {
        const { kind, clientMutationId, message } = data?.messageChanged ?? {};
        // The answer replaces a message that is shown already.
        if (kind === 'CREATED' && !waiting.has(clientMutationId ?? null))
          show(client.cache, message);
      }),
    async send(text: string) {
      const clientMutationId = crypto.randomUUID();
      const message = {
        __typename: 'Message',
        id: clientMutationId,
        message: text,
      } as const;
      waiting.add(clientMutationId);
      try {
        return await client.mutate({
          mutation: SEND,
          variables: { input: { conversationId: id, message: text, clientMutationId } },
          optimisticResponse: { sendMessage: { message } },
          update: (cache, { data }) => show(cache, data?.sendMessage?.message),
        });
      } finally {
        waiting.delete(clientMutationId);
      }
    },
  };
}
