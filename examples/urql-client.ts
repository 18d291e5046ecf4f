import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

/** `url`: such as `http://127.0.0.1:4000/graphql`. */
export const createMessagingClient = (url: string, getToken: () => string) =>
  new Client({
    url,
    fetchOptions: () => ({ headers: { authorization: `Bearer ${getToken()}` } }),
    exchanges: [
      cacheExchange({
        keys: { Reaction: () => null },
        resolvers: {
          Query: { conversations: relayPagination(), messages: relayPagination() },
        },
        updates: {
          Mutation: {
            deleteMessage(_result, { input }, cache) {
              const { id } = input as { id: string };
              cache.invalidate({ __typename: 'Message', id });
            },
            deleteConversation(_result, { input }, cache) {
              const { id } = input as { id: string };
              cache.invalidate({ __typename: 'Conversation', id });
            },
          },
        },
      }),
      fetchExchange,
    ],
  });
