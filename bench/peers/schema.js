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
    contactId: ID
    groupId: ID
    isPinned: Boolean!
    isMuted: Boolean!
    lastActiveAt: Float
    lastOpenedAt: Float
    createdAt: Float!
    archivedAt: Float
    pinnedMessage: Message
    messages(first: Int = 10): MessageConnection
  }
  type Message {
    id: ID!
    conversation: Conversation
    contact: Contact!
    message: String!
    readAt: Float
    createdAt: Float!
    updatedAt: Float
  }
  type Contact {
    id: ID!
    username: String!
    phoneNumber: String
    avatarUrl: String
    lastActiveAt: Float
    createdAt: Float!
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
    contactId: (conversation) => conversation.contact_id,
    groupId: (conversation) => conversation.group_id,
    isPinned: (conversation) => conversation.is_pinned,
    isMuted: (conversation) => conversation.is_muted,
    lastActiveAt: (conversation) => conversation.last_active_at,
    lastOpenedAt: (conversation) => conversation.last_opened_at,
    createdAt: (conversation) => conversation.created_at,
    archivedAt: (conversation) => conversation.archived_at,
  },
  Message: {
    readAt: (message) => message.read_at,
    createdAt: (message) => message.created_at,
    updatedAt: (message) => message.updated_at,
  },
  Contact: {
    phoneNumber: (contact) => contact.phone_number,
    avatarUrl: (contact) => contact.avatar_url,
    lastActiveAt: (contact) => contact.last_active_at,
    createdAt: (contact) => contact.created_at,
  },
};
