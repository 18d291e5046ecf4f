import { type ApolloClient, makeVar } from '@apollo/client';
import { createChat } from '../../apollo-chat.ts';
import { MESSAGES, SEND, VIEWER } from './documents.ts';
import type { BubbleFragment } from './gql/graphql.ts';

const NEW = { isMine: true, attachments: [], reactions: [], readAtIso: null };

/** The messages of a conversation, and those that could not be sent. */
export function openConversation(client: ApolloClient, id: string, username: string) {
  const unsent = makeVar<readonly { key: string; text: string; error: unknown }[]>([]);
  const documents = { list: MESSAGES, send: SEND };
  const chat = createChat<BubbleFragment>(client, id, documents, (message) => ({
    ...message,
    ...NEW,
    contact: { __typename: 'Contact', id: client.readQuery({ query: VIEWER })?.viewer?.id ?? '', username },
    createdAtIso: new Date().toISOString(),
  }));
  const discard = (key: string) => unsent(unsent().filter((one) => one.key !== key));
  return {
    ...chat,
    unsent,
    discard,
    apply(change: Parameters<typeof chat.apply>[0]) {
      discard(change.clientMutationId ?? '');
      return chat.apply(change);
    },
    async send(text: string, key: string = crypto.randomUUID()) {
      discard(key);
      const error = await chat.send(text, key);
      if (error) unsent([...unsent(), { key, text, error }]);
    },
  };
}

export type Conversation = ReturnType<typeof openConversation>;
