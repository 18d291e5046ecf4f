import { graphql } from './gql/gql.ts';

/** What the chat asks for. `npm run codegen` makes the types of these documents from the schema. */

/** Who you are, from the cache: INBOX asks for it. */
export const VIEWER = graphql(`query Viewer { viewer { id username } }`);

/** One call for each conversation: the contact, the newest message and the count come from the same page of messages. */
export const ROW = graphql(`fragment Row on Conversation {
  __typename id groupId isPinned isMuted archivedAtIso lastActiveAt lastOpenedAt unreadCount
  contact { id username }
  latestMessage { id message createdAtIso contact { id username } }
}`);
export const INBOX = graphql(`query Inbox($archived: Boolean, $after: String) {
  viewer { id username }
  conversations(archived: $archived, first: 20, after: $after) {
    edges { __typename cursor node { ...Row } }
    pageInfo { hasNextPage endCursor }
  }
}`);
export const CONVERSATION = graphql(`query Conversation($id: ID!) { conversation(id: $id) { ...Row } }`);
export const CONVERSATION_CHANGED = graphql(`subscription ConversationChanged($resumeFrom: String) {
  change: conversationChanged(resumeFrom: $resumeFrom) { kind conversationId resumeToken conversation { ...Row } }
}`);
export const UPDATE_CONVERSATION = graphql(`mutation UpdateConversation($input: UpdateConversationInput!) {
  updateConversation(input: $input) { conversation { id isPinned isMuted archivedAtIso } }
}`);

/** Without `isMine` of reactions: an event does not know it, so the chat compares usernames. */
graphql(`fragment Bubble on Message {
  __typename id message isMine attachments createdAt createdAtIso readAtIso
  contact { __typename id username }
  reactions { name usernames count }
}`);
export const MESSAGES = graphql(`query Messages($id: ID!, $after: String) {
  messages(conversationId: $id, first: 20, after: $after, order: NEWEST_FIRST) {
    edges { __typename cursor node { ...Bubble } }
    pageInfo { hasNextPage endCursor }
  }
}`);
export const MESSAGE_CHANGED = graphql(`subscription MessageChanged($id: ID!, $resumeFrom: String) {
  change: messageChanged(conversationId: $id, resumeFrom: $resumeFrom) {
    kind messageId clientMutationId resumeToken message { ...Bubble }
  }
}`);
export const SEND = graphql(`mutation Send($input: SendMessageInput!) {
  sendMessage(input: $input) { message { ...Bubble } }
}`);
export const EDIT = graphql(`mutation Edit($id: ID!, $message: String!) {
  updateMessage(input: { id: $id, message: $message }) { message { ...Bubble } }
}`);
export const DELETE = graphql(`mutation Delete($id: ID!) { deleteMessage(input: { id: $id }) { deletedMessageId } }`);
export const ADD_REACTION = graphql(`mutation AddReaction($id: ID!, $name: String!) {
  addReaction(input: { messageId: $id, name: $name }) { message { ...Bubble } }
}`);
export const REMOVE_REACTION = graphql(`mutation RemoveReaction($id: ID!, $name: String!) {
  removeReaction(input: { messageId: $id, name: $name }) { message { ...Bubble } }
}`);
