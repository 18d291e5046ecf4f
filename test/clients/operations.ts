import { gql, type TypedDocumentNode } from '@apollo/client';

export interface Message {
  readonly id: string;
  readonly message: string;
  readonly updatedAt: number | null;
  readonly reactions: readonly Reaction[];
}

interface Reaction {
  readonly name: string;
  readonly usernames: readonly string[];
}

export interface Conversation {
  readonly id: string;
  readonly isPinned: boolean;
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

export const MESSAGE_FIELDS = gql`
  fragment MessageFields on Message {
    id
    message
    updatedAt
    reactions {
      name
      usernames
    }
  }
`;

export const CONVERSATION_FIELDS = gql`
  fragment ConversationFields on Conversation {
    id
    isPinned
    isMuted
    archivedAt
    pinnedMessage {
      id
      message
    }
  }
`;

const PAGE_FIELDS = gql`
  fragment PageFields on PageInfo {
    hasNextPage
    hasPreviousPage
    startCursor
    endCursor
  }
`;

export const MESSAGES: TypedDocumentNode<
  { messages: Connection<Message> },
  PageVariables & { conversationId: string }
> = gql`
  query Messages($conversationId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    messages(conversationId: $conversationId, first: $first, after: $after, last: $last, before: $before) {
      edges {
        cursor
        node {
          ...MessageFields
        }
      }
      pageInfo {
        ...PageFields
      }
    }
  }
  ${MESSAGE_FIELDS}
  ${PAGE_FIELDS}
`;

export const CONVERSATIONS: TypedDocumentNode<
  { conversations: Connection<Conversation> },
  PageVariables & { archived?: boolean }
> = gql`
  query Conversations($archived: Boolean, $first: Int, $after: String) {
    conversations(archived: $archived, first: $first, after: $after) {
      edges {
        cursor
        node {
          ...ConversationFields
        }
      }
      pageInfo {
        ...PageFields
      }
    }
  }
  ${CONVERSATION_FIELDS}
  ${PAGE_FIELDS}
`;

export const CONVERSATION_SCREEN: TypedDocumentNode<
  { conversation: Conversation & { messages: Connection<{ readonly id: string }> } },
  PageVariables & { id: string }
> = gql`
  query ConversationScreen($id: ID!, $first: Int, $after: String) {
    conversation(id: $id) {
      ...ConversationFields
      messages(first: $first, after: $after) {
        edges {
          cursor
          node {
            id
          }
        }
        pageInfo {
          ...PageFields
        }
      }
    }
  }
  ${CONVERSATION_FIELDS}
  ${PAGE_FIELDS}
`;

export const SEND = gql`
  mutation Send($input: SendMessageInput!) {
    sendMessage(input: $input) {
      message {
        ...MessageFields
      }
    }
  }
  ${MESSAGE_FIELDS}
`;

export const UPDATE_MESSAGE = gql`
  mutation UpdateMessage($input: UpdateMessageInput!) {
    updateMessage(input: $input) {
      message {
        ...MessageFields
      }
    }
  }
  ${MESSAGE_FIELDS}
`;

export const UPDATE_CONVERSATION = gql`
  mutation UpdateConversation($input: UpdateConversationInput!) {
    updateConversation(input: $input) {
      conversation {
        ...ConversationFields
      }
    }
  }
  ${CONVERSATION_FIELDS}
`;

export const DELETE_MESSAGE: TypedDocumentNode<{
  deleteMessage: { deletedMessageId: string };
}> = gql`
  mutation DeleteMessage($input: DeleteMessageInput!) {
    deleteMessage(input: $input) {
      deletedMessageId
    }
  }
`;

export const DELETE_CONVERSATION: TypedDocumentNode<{
  deleteConversation: { deletedConversationId: string };
}> = gql`
  mutation DeleteConversation($input: DeleteConversationInput!) {
    deleteConversation(input: $input) {
      deletedConversationId
    }
  }
`;
