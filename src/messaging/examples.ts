/** The operation that the explorer shows first. With a valid token in the header, it runs as it is. */
export const FIRST_OPERATION = `# Lists a few conversations, each with three messages.
# The documentation beside the editor explains every field.
query RecentConversations($first: Int = 5) {
  conversations(first: $first) {
    nodes {
      id
      isPinned
      lastActiveAt
      messages(first: 3) {
        nodes {
          message
          createdAt
          contact {
            username
          }
          reactions {
            name
            count
          }
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`;

/** For a command line. */
export const SHORT_QUERY =
  '{ conversations(first: 3) { nodes { id messages(first: 1) { nodes { message } } } } }';

/** The path of a list of the service, below its version. */
export const SHORT_LIST = '/conversations?limit=3';
