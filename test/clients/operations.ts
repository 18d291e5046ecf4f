import { gql, type TypedDocumentNode } from '@apollo/client';

export interface Message {
  readonly id: string;
  readonly message: string;
  readonly updatedAt: number | null;
  readonly reactions: readonly {
    readonly name: string;
    readonly usernames: readonly string[];
  }[];
}

export interface Conversation {
  readonly id: string;
  readonly isMuted: boolean;
  readonly archivedAt: number | null;
  readonly pinnedMessage: { readonly id: string; readonly message: string } | null;
}

export interface Connection<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

export interface Identified {
  readonly id: string;
}

export const nodes = <T>({ edges }: Connection<T>): T[] => edges.map(({ node }) => node);
export const ids = (items: readonly Identified[]): string[] => items.map(({ id }) => id);

export interface PageVariables {
  readonly [name: string]: unknown;
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number;
  readonly before?: string | null;
}

const MESSAGE = 'id message updatedAt reactions { name usernames }';
const CONVERSATION = 'id isMuted archivedAt pinnedMessage { id message }';
const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

export const MESSAGES: TypedDocumentNode<
  { messages: Connection<Message> },
  PageVariables & { conversationId: string }
> = gql`
  query Messages($conversationId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    messages(conversationId: $conversationId, first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { ${MESSAGE} } }
      ${PAGE_INFO}
    }
  }
`;

export const CONVERSATIONS: TypedDocumentNode<
  { conversations: Connection<Conversation> },
  PageVariables & { archived?: boolean }
> = gql`
  query Conversations($archived: Boolean, $first: Int, $after: String) {
    conversations(archived: $archived, first: $first, after: $after) {
      edges { cursor node { ${CONVERSATION} } }
      ${PAGE_INFO}
    }
  }
`;

export const CONVERSATION_SCREEN: TypedDocumentNode<
  { conversation: { readonly messages: Connection<Identified> } },
  PageVariables & { id: string }
> = gql`
  query ConversationScreen($id: ID!, $first: Int, $after: String) {
    conversation(id: $id) {
      id
      messages(first: $first, after: $after) { edges { cursor node { id } } ${PAGE_INFO} }
    }
  }
`;

export const SEND = gql`
  mutation Send($input: SendMessageInput!) {
    sendMessage(input: $input) { message { ${MESSAGE} } }
  }
`;

export const UPDATE_MESSAGE = gql`
  mutation UpdateMessage($input: UpdateMessageInput!) {
    updateMessage(input: $input) { message { ${MESSAGE} } }
  }
`;

export const UPDATE_CONVERSATION = gql`
  mutation UpdateConversation($input: UpdateConversationInput!) {
    updateConversation(input: $input) { conversation { ${CONVERSATION} } }
  }
`;

export const DELETE_MESSAGE: TypedDocumentNode<{
  deleteMessage: { deletedMessageId: string };
}> = gql`
  mutation DeleteMessage($input: DeleteMessageInput!) {
    deleteMessage(input: $input) { deletedMessageId }
  }
`;
