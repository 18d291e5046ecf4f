/**
 * What a Relay application asks for. Relay takes the name of the file as the first part of every name, and this one is
 * written to `App.js`.
 */
export const DOCUMENTS = [
  `query AppMessagesQuery($conversationId: ID!, $first: Int!, $after: String) {
    messages(conversationId: $conversationId, first: $first, after: $after)
      @connection(key: "AppMessagesQuery_messages") {
      __id
      edges { node { id message createdAt attachments reactions { name count } } }
    }
  }`,
  `query AppInboxQuery {
    conversations(first: 5) @connection(key: "AppInboxQuery_conversations") {
      __id
      edges { node { id isMuted archivedAtIso ...App_conversation } }
    }
  }`,
  // Relay fetches this fragment again, and its next pages, by `node(nodeId)`.
  `fragment App_conversation on Conversation
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, after: { type: "String" })
  @refetchable(queryName: "AppConversationPaginationQuery") {
    isPinned
    messages(first: $count, after: $after) @connection(key: "App_conversation_messages") {
      edges { node { id message contact { username } } }
    }
  }`,
  `mutation AppSendMutation($input: SendMessageInput!, $connections: [ID!]!) {
    sendMessage(input: $input) {
      message @prependNode(connections: $connections, edgeTypeName: "MessageEdge") { id message }
    }
  }`,
  `mutation AppDeleteConversationMutation($input: DeleteConversationInput!) {
    deleteConversation(input: $input) { deletedConversationNodeId @deleteRecord }
  }`,
  `mutation AppArchiveMutation($input: UpdateConversationInput!) {
    updateConversation(input: $input) { conversation { archivedAtIso } }
  }`,
];
