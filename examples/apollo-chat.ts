import type { ApolloCache, ApolloClient, TypedDocumentNode } from '@apollo/client';
import {
  applyMessageChange,
  type Message,
  type MessageChange,
  type MessageList,
} from './apollo-message-change.ts';

type Input = { conversationId: string; message: string; clientMutationId: string };

/** The operations of your app. */
export interface ChatDocuments<M> {
  readonly list: MessageList<M, { id: string }>['query'];
  readonly send: TypedDocumentNode<
    { sendMessage: { message: M | null } | null },
    { input: Input }
  >;
}

/**
 * The messages of a conversation in the cache of `client`: each once, and what is written here at once, before it is sent.
 * `toOptimistic` makes what is shown until the answer comes; `createdAt` is such that it is the newest.
 */
export function createChat<M extends Message>(
  client: ApolloClient,
  id: string,
  documents: ChatDocuments<M>,
  toOptimistic: (message: Message & { readonly message: string }) => M,
) {
  const list = { query: documents.list, variables: { id } };
  /** The messages that are shown and have no answer yet, by their keys; as their events tell them, null before that. */
  const waiting = new Map<string | null, M | null>();
  const show = (cache: ApolloCache, message: M) =>
    applyMessageChange(cache, list, { kind: 'CREATED', messageId: message.id, message });

  return {
    isWaiting: (key: string) => waiting.has(key),

    /** Puts an event into the list; the same one may come again. Returns whether the list has to be read again. */
    apply(
      change: MessageChange<M> & { readonly clientMutationId: string | null },
    ): boolean {
      const { kind, message, clientMutationId } = change;
      if (kind !== 'CREATED' || !waiting.has(clientMutationId))
        return applyMessageChange(client.cache, list, change);
      // It is shown already, and the answer will replace it.
      waiting.set(clientMutationId, message);
      return false;
    },

    /** Reads the newest page again. Older ones that were read before stay, unless more is new than fits into a page. */
    async reread(): Promise<void> {
      const { data, error } = await client.query({ ...list, fetchPolicy: 'no-cache' });
      const page = data?.messages;
      if (!page && error) throw error;
      if (!page) return;
      const last = page.edges.at(-1)?.node?.id;
      client.cache.updateQuery(list, (old) => {
        const known = old?.messages ?? page;
        const found = known.edges.findIndex(({ node }) => node && node.id === last);
        const older = found === -1 ? [] : known.edges.slice(found + 1);
        if (older.length === 0) return { messages: page };
        return { messages: { ...known, edges: [...page.edges, ...older] } };
      });
    },

    /**
     * Returns why the message was not sent; undefined if it was. `key`: to send it again, that of the first attempt, so that it is there
     * once, also if the first attempt has sent it.
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
