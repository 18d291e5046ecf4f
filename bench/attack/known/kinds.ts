/** A message with all its fields. */
const MESSAGE = `id nodeId conversationId message createdAt createdAtIso readAt readAtIso updatedAt updatedAtIso attachments isMine
  reactions { name usernames count isMine } contact { id username phoneNumber avatarUrl lastActiveAt lastActiveAtIso createdAt createdAtIso }`;
const CONVERSATION = `id nodeId contactId groupId group { id } pinnedMessageId isPinned isMuted lastActiveAt lastActiveAtIso
  hasNewActivity unreadCount lastOpenedAt lastOpenedAtIso createdAt createdAtIso archivedAt archivedAtIso`;
const PAGE = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

/**
 * Documents of all kinds, with which new cases begin; each field of the schema is in one. Their variables are those of VARIABLES
 * (change.ts).
 */
export const KINDS: readonly string[] = [
  '{ __typename @times(n: 900) }',
  '{ unknown @times(n: 100) }',
  '{ __schema { types { name fields { name type { name ofType { name } } args { name } } } } }',
  '{ _service { sdl } }',
  `{ _entities(representations: $any) { __typename ... on Message { ${MESSAGE} } ... on Conversation { ${CONVERSATION} } } }`,
  '{ _entities(representations: $any) @times(n: 100) { __typename ... on Message { id } } }',
  `{ node(nodeId: $nodeId) @times(n: 100) { nodeId ... on Message { message conversation { isMuted } } } }`,
  `{ nodes(nodeIds: $nodeIds) { nodeId ... on Message { ${MESSAGE} } ... on Conversation { ${CONVERSATION} } } }`,
  `{ message(id: $id) { ${MESSAGE} } }`,
  '{ message(id: EACH_OTHER) @times(n: 240) { id message conversation { pinnedMessage { message } } } }',
  '{ message(id: EACH_OTHER) @times(n: 50) { attachments @times(n: 100) reactions { usernames @times(n: 50) } } }',
  '{ message(id: $id) { conversation { messages(first: $first) { nodes { conversation { messages(last: 10) { nodes { message } } } } } } } }',
  '{ message(id: $id) @inFragments(n: 100, on: "Message") { message } }',
  `{ conversation(id: $id) { ${CONVERSATION} pinnedMessage { ${MESSAGE} } } }`,
  '{ conversation(id: EACH_OTHER) @times(n: 100) { id messages(first: $first, after: $cursor) { nodes { id message } } } }',
  '{ conversation(id: $id) @include(if: $flag) { id } again: conversation(id: $id) @skip(if: $flag) { isMuted } }',
  '{ conversation(id: $id) { pinnedMessage @times(n: 900, alias: 100) { id nodeId } } }',
  `{ conversations(first: $first, after: $cursor, muted: $flag) { edges { cursor node { ${CONVERSATION} } } ${PAGE} } }`,
  '{ conversations(last: $first, before: $cursor, groupId: $id, archived: $flag, pinned: $flag) { nodes { id } } }',
  '{ conversations(first: $first) { nodes { isPinned messages(first: 100) { nodes { message contact { username } } } } } }',
  '{ conversations(first: $first) { nodes { latestMessage @times(n: 100) { id message } messages(first: $first, order: NEWEST_FIRST) @times(n: 100) { nodes { id } } } } }',
  '{ conversations(first: $first) { nodes { contact @times(n: 100) { username } unreadCount(atMost: $first) @times(n: 100) messages(first: 100) { nodes { isMine reactions { isMine @times(n: 50) } } } } } viewer @times(n: 50) { username } }',
  '{ messages(last: $first, before: $cursor, order: NEWEST_FIRST) { nodes { id message } } }',
  `{ messages(first: $first, after: $cursor) { edges { cursor @times(n: 100) node { ${MESSAGE} } } ${PAGE} } }`,
  `{ messages(last: $first, before: $cursor, conversationId: $id) { nodes { id message } ${PAGE} } }`,
  '{ messages(first: $first, conversationId: EACH_OTHER) @times(n: 100) { nodes { id createdAtIso @times(n: 50) } } }',
  '{ messages(first: 100) { nodes { reactions @inFragments(n: 2, on: "Reaction") { name @times(n: 100) count } attachments } } }',
  '{ messages(first: 100) { nodes { conversation { id pinnedMessage { message conversation { isMuted } } } } } }',
  'mutation { createConversation(input: { contactId: $id, groupId: $id }) { clientMutationId conversation { id isMuted } } }',
  'mutation { updateConversation(input: { id: $id, isMuted: $flag, pinnedMessageId: $id }) @times(n: 50) { conversation { id } } }',
  'mutation { updateConversation(input: { id: $id, archivedAtIso: $date }) { clientMutationId conversation { archivedAtIso pinnedMessage { message } } } }',
  'mutation { deleteConversation(input: { id: EACH_OTHER }) @times(n: 100) { clientMutationId deletedConversationId deletedConversationNodeId } }',
  'mutation { sendMessage(input: { conversationId: $id, message: $text, attachments: $json }) { message { id message attachments } } }',
  'mutation { sendMessage(input: { conversationId: $id, message: $text, attachments: $json, clientMutationId: EACH_OTHER }) @times(n: 50) { clientMutationId message { id } } }',
  'mutation { sendMessage(input: { conversationId: PARENT_FOLDERS, message: $text }) @times(n: 100) { message { contact { id } } } }',
  `mutation { updateMessage(input: { id: $id, message: $text, attachments: $json }) { clientMutationId message { ${MESSAGE} } } }`,
  'mutation { updateMessage(input: { id: $id, reactions: [{ name: $text, usernames: $usernames }] }) @times(n: 50) { message { reactions { name } } } }',
  'mutation { addReaction(input: { messageId: $id, name: $text, username: $text }) @times(n: 50) { clientMutationId message { reactions { name isMine } } } }',
  'mutation { removeReaction(input: { messageId: EACH_OTHER, name: $text }) @times(n: 40) { clientMutationId message { id } } }',
  'mutation { deleteMessage(input: { id: EACH_OTHER }) @times(n: 100) { clientMutationId deletedMessageId deletedMessageNodeId } }',
];
