import { Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { type Cache, cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { createClient } from 'graphql-sse';
import { resuming, waitToRetry } from './live-reconnect.ts';

/** The pages of messages that are stored. */
const pagesOf = (cache: Cache) =>
  cache.inspectFields('Query').flatMap(({ fieldName, fieldKey, arguments: args }) => {
    if (fieldName !== 'messages') return [];
    const page = cache.resolve('Query', fieldKey) as string;
    const edges = (cache.resolve(page, 'edges') ?? []) as string[];
    const nodes = edges.map((edge) => cache.resolve(edge, 'node') as string);
    return { page, edges, nodes, args: args ?? {} };
  });

function removeMessage(cache: Cache, id: string): void {
  const key = `Message:${id}`;
  for (const { page, edges, nodes } of pagesOf(cache)) {
    const others = edges.filter((_edge, at) => nodes[at] !== key);
    if (others.length < edges.length) cache.link(page, 'edges', others);
  }
  cache.invalidate(key);
}

const EDGE = gql`fragment _ on MessageEdge { cursor node { id } }`;

/** Puts a new message at its place by time into the lists of its conversation with `order: NEWEST_FIRST` and `createdAt`. */
function addMessage(cache: Cache, id: string, conversationId: unknown): void {
  const key = `Message:${id}`;
  const timeOf = (node: string) => Number(cache.resolve(node, 'createdAt'));
  for (const { page, edges, nodes, args } of pagesOf(cache)) {
    if (args.conversationId !== conversationId || nodes.includes(key)) continue;
    if (args.order !== 'NEWEST_FIRST' || args.after || args.before || args.last) continue;
    const older = nodes.findIndex((node) => timeOf(node) <= timeOf(key));
    const pageInfo = cache.resolve(page, 'pageInfo') as string;
    // It belongs to a page that was not read.
    if (older === -1 && cache.resolve(pageInfo, 'hasNextPage')) continue;
    const node = { __typename: 'Message', id };
    cache.writeFragment(EDGE, { __typename: 'MessageEdge', id, cursor: '', node });
    const at = older === -1 ? edges.length : older;
    cache.link(page, 'edges', edges.toSpliced(at, 0, `MessageEdge:${id}`));
  }
}

type Deletion = { input: { id: string } };
type Event = { messageChanged: { kind: string; messageId: string } };

/** Reads, pages, sends, subscribes, and comes back by itself. `url`: such as `http://127.0.0.1:4000/graphql`. */
export function createMessagingClient(url: string, getToken: () => string) {
  const headers = () => ({ authorization: `Bearer ${getToken()}` });
  const events = createClient({
    url,
    headers,
    // The default is to give up after five attempts.
    retryAttempts: Infinity,
    retry: waitToRetry,
  });
  return new Client({
    url,
    fetchOptions: () => ({ headers: headers() }),
    exchanges: [
      cacheExchange({
        keys: { Reaction: () => null },
        resolvers: {
          Query: { conversations: relayPagination(), messages: relayPagination() },
        },
        updates: {
          Mutation: {
            deleteMessage: (_result, { input }: Deletion, cache) =>
              removeMessage(cache, input.id),
            deleteConversation: (_result, { input }: Deletion, cache) =>
              cache.invalidate(`Conversation:${input.id}`),
          },
          Subscription: {
            // An edited message is stored already.
            messageChanged(result: Event, { conversationId }, cache) {
              const { kind, messageId } = result.messageChanged;
              if (kind === 'DELETED') removeMessage(cache, messageId);
              if (kind === 'CREATED') addMessage(cache, messageId, conversationId);
            },
          },
        },
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables: given }) => ({
          subscribe(sink) {
            const variables: Record<string, unknown> = { ...given };
            const body = { query, variables };
            return { unsubscribe: events.subscribe(body, resuming(variables, sink)) };
          },
        }),
      }),
    ],
  });
}
