import type { ApolloCache, ApolloClient, TypedDocumentNode } from '@apollo/client';

/** What the chat needs to know of a message. Select more as you like. */
interface Message {
  readonly __typename: 'Message';
  readonly id: string;
  readonly message: string;
  readonly createdAt: number;
}
interface Change<M> {
  readonly kind: string;
  readonly messageId: string;
  readonly clientMutationId: string | null;
  readonly message: M | null;
}
interface Connection<M> {
  readonly edges: readonly Edge<M>[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}
interface Edge<M> {
  readonly __typename: 'MessageEdge';
  readonly cursor: string;
  readonly node: M | null;
}
interface Input {
  readonly conversationId: string;
  readonly message: string;
  readonly clientMutationId: string;
}

/** The operations of your app. */
export interface ChatDocuments<M> {
  /** `messages(conversationId: $id, order: NEWEST_FIRST, ...)` with `edges` and `pageInfo`. */
  readonly list: TypedDocumentNode<{ messages: Connection<M> | null }, { id: string }>;
  readonly send: TypedDocumentNode<
    { sendMessage: { message: M | null } | null },
    { input: Input }
  >;
  /** What the others select of a message. */
  readonly message: TypedDocumentNode<M>;
}

/**
 * The messages of a conversation in the cache of `client`: each once, and those that are sent here before they are sent.
 * `toOptimistic` makes what is shown until the answer comes; `createdAt` is such that it is the newest.
 */
export function createChat<M extends Message>(
  client: ApolloClient,
  id: string,
  documents: ChatDocuments<M>,
  toOptimistic: (message: Message) => M,
) {
  const list = { query: documents.list, variables: { id } };
  /** By the keys of messages that are shown and have no answer yet: what their events have told. */
  const waiting = new Map<string | null, M | null>();

  /** Puts a message at its place by time. Returns whether another one has the same time: then only the service knows their order. */
  function show(cache: ApolloCache, node: M): boolean {
    let isTie = false;
    cache.updateQuery(list, (data) => {
      if (!data?.messages) return;
      const { edges, pageInfo } = data.messages;
      if (edges.some((edge) => edge.node?.id === node.id)) return;
      const found = edges.findIndex(
        (edge) => edge.node !== null && edge.node.createdAt <= node.createdAt,
      );
      // It belongs to a page that was not read.
      if (found === -1 && pageInfo.hasNextPage) return;
      const at = found === -1 ? edges.length : found;
      isTie = edges[at]?.node?.createdAt === node.createdAt;
      const edge = { __typename: 'MessageEdge', cursor: '', node } as const;
      return {
        ...data,
        messages: { ...data.messages, edges: edges.toSpliced(at, 0, edge) },
      };
    });
    return isTie;
  }

  return {
    isWaiting: (key: string) => waiting.has(key),

    /** Puts an event into the list, once or twice. Returns whether the list has to be read again. */
    apply({ kind, messageId, message, clientMutationId }: Change<M>): boolean {
      if (message === null) {
        client.cache.evict({ id: `Message:${messageId}` });
        return false;
      }
      client.cache.writeFragment({ fragment: documents.message, data: message });
      if (kind !== 'CREATED') return false;
      // It is shown already, and the answer will replace it.
      if (!waiting.has(clientMutationId)) return show(client.cache, message);
      waiting.set(clientMutationId, message);
      return false;
    },

    /** Reads the newest page again. Older ones that were read before stay, unless more is new than fits into a page. */
    async reread(): Promise<void> {
      const { data } = await client.query({ ...list, fetchPolicy: 'no-cache' });
      const page = data?.messages;
      if (!page) return;
      const last = page.edges.at(-1)?.node?.id;
      client.cache.updateQuery(list, (old) => {
        const known = old?.messages;
        const found =
          known?.edges.findIndex(({ node }) => node && node.id === last) ?? -1;
        const older = found === -1 ? [] : (known?.edges.slice(found + 1) ?? []);
        if (!known || older.length === 0) return { messages: page };
        return { messages: { ...known, edges: [...page.edges, ...older] } };
      });
    },

    /**
     * Returns why the message was not sent; undefined if it was. `key`: that of an attempt before, so that it is there once, whatever
     * became of that.
     */
    async send(message: string, key: string = crypto.randomUUID()): Promise<unknown> {
      const createdAt = Number.MAX_SAFE_INTEGER;
      const shown = toOptimistic({ __typename: 'Message', id: key, message, createdAt });
      waiting.set(key, null);
      const { data, error } = await client.mutate({
        mutation: documents.send,
        variables: { input: { conversationId: id, message, clientMutationId: key } },
        optimisticResponse: { sendMessage: { message: shown } },
        update: (cache, { data }) => {
          const sent = data?.sendMessage?.message;
          if (sent) show(cache, sent);
        },
      });
      const heard = waiting.get(key);
      waiting.delete(key);
      if (data?.sendMessage?.message) return undefined;
      // The answer was lost, but the message has arrived.
      if (heard) show(client.cache, heard);
      return heard ? undefined : error;
    },
  };
}
