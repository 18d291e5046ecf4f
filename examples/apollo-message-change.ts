import type { ApolloCache, OperationVariables, TypedDocumentNode } from '@apollo/client';

/** What has to be selected of a message. Select more as you like. */
export type Message = { __typename: 'Message'; id: string; createdAt: number };
/** An event of `messageChanged`. It selects of a message what the list selects. */
export type MessageChange<M> = { kind: string; messageId: string; message: M | null };
type Edge<M> = { __typename: 'MessageEdge'; cursor: string; node: M | null };
type Connection<M> = { edges: readonly Edge<M>[]; pageInfo: { hasNextPage: boolean } };
/** `messages(conversationId: $id, order: NEWEST_FIRST, ...)` with `edges` and `pageInfo`. */
export interface MessageList<M, V extends OperationVariables> {
  readonly query: TypedDocumentNode<{ messages: Connection<M> | null }, V>;
  readonly variables: V;
}

/**
 * Puts an event into a list of the cache, also a second time: a new message at its place by time, an edited one over what is shown; a deleted
 * one leaves every list. Returns whether another message has the same time: then only the service knows their order, so read the list again.
 */
export function applyMessageChange<M extends Message, V extends OperationVariables>(
  cache: ApolloCache,
  list: MessageList<M, V>,
  { kind, messageId, message }: MessageChange<M>,
): boolean {
  if (kind === 'DELETED') cache.evict({ id: `Message:${messageId}` });
  if (message === null) return false;
  let isTie = false;
  cache.updateQuery(list, (data) => {
    if (!data?.messages) return;
    const { edges, pageInfo } = data.messages;
    const shown = edges.findIndex(({ node }) => node?.id === message.id);
    const older = edges.findIndex(
      ({ node }) => node !== null && node.createdAt <= message.createdAt,
    );
    // An old one may belong to a page that was not read.
    const isRead = older !== -1 || !pageInfo.hasNextPage;
    if (shown === -1 && !(kind === 'CREATED' && isRead)) return;
    const at = [shown, older, edges.length].find((one) => one !== -1) ?? 0;
    isTie = shown === -1 && edges[at]?.node?.createdAt === message.createdAt;
    const known = edges[shown];
    const node = { ...known?.node, ...message };
    const edge = { __typename: 'MessageEdge', cursor: '', ...known, node } as const;
    const changed = edges.toSpliced(at, known ? 1 : 0, edge);
    return { ...data, messages: { ...data.messages, edges: changed } };
  });
  return isTie;
}
