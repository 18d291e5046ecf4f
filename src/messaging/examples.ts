/** One for each kind of operation: the explorer opens with them, and docs/schema.md shows them. They run with the sample data. */
export const OPERATIONS = [
  {
    document: `# Who you are, and your conversations, the newest messages first.
query Inbox($first: Int = 3) {
  viewer { username }
  conversations(first: $first) {
    nodes {
      id
      contact { username }
      unreadCount
      lastActiveAtIso
      messages(first: 3, order: NEWEST_FIRST) {
        nodes {
          message
          createdAtIso
          isMine
          contact { username }
          reactions { name count }
        }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`,
    variables: { first: 3 },
  },
  {
    document: `# Shows each new, changed or deleted message until you stop it. Send one meanwhile, in another window.
# conversationId: null is for all your conversations.
subscription Changes($conversationId: ID) {
  messageChanged(conversationId: $conversationId) {
    kind
    message {
      message
      createdAtIso
      contact { username }
    }
  }
}
`,
    variables: { conversationId: null },
  },
  {
    document: `# conversationId: the id of one of your conversations.
mutation Send($conversationId: ID!, $message: String!) {
  sendMessage(input: { conversationId: $conversationId, message: $message }) {
    message { id createdAtIso }
  }
}
`,
    variables: { conversationId: 'conv_ada_grace', message: 'Hello' },
  },
];

/** For a command line. */
export const SHORT_QUERY =
  '{ conversations(first: 3) { nodes { id messages(first: 1) { nodes { message } } } } }';

/** The path of a list of the service, below its version. */
export const SHORT_LIST = '/conversations?limit=3';
