// The part of the gateway's schema that the benchmark asks for, as both peers need it.
export const typeDefs = `
  type Query {
    conversation(id: ID!): Conversation
    conversations(first: Int = 10): ConversationConnection
    message(id: ID!): Message
    messages(first: Int = 10): MessageConnection
  }
  type Mutation {
    sendMessage(input: SendMessageInput!): SendMessagePayload
  }
  type Conversation {
    id: ID!
    isPinned: Boolean!
    isMuted: Boolean!
    lastActiveAt: Float
    createdAt: Float!
    pinnedMessage: Message
    messages(first: Int = 10): MessageConnection
  }
  type Message {
    id: ID!
    conversation: Conversation
    contact: Contact!
    message: String!
    createdAt: Float!
  }
  type Contact {
    id: ID!
    username: String!
    avatarUrl: String
  }
  type ConversationConnection {
    nodes: [Conversation]!
  }
  type MessageConnection {
    nodes: [Message]!
  }
  input SendMessageInput {
    conversationId: ID!
    message: String!
  }
  type SendMessagePayload {
    message: Message
  }
`;

/** The fields that the service spells otherwise. */
export const renamed = {
  Conversation: {
    isPinned: (conversation) => conversation.is_pinned,
    isMuted: (conversation) => conversation.is_muted,
    lastActiveAt: (conversation) => conversation.last_active_at,
    createdAt: (conversation) => conversation.created_at,
  },
  Message: {
    createdAt: (message) => message.created_at,
  },
  Contact: {
    avatarUrl: (contact) => contact.avatar_url,
  },
};
