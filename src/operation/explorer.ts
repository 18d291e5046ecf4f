import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';

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

/**
 * Apollo Sandbox for browsers that open /graphql, with `token` in the header. Apollo writes `<`, `>` and `&` into the page
 * as HTML entities that are never decoded, so neither the token nor the operation may contain them.
 */
export const explorer = (token: string): ApolloServerPlugin =>
  ApolloServerPluginLandingPageLocalDefault({
    document: FIRST_OPERATION,
    includeCookies: false,
    footer: false,
    embed: {
      runTelemetry: false,
      endpointIsEditable: false,
      initialState: {
        pollForSchemaUpdates: false,
        sharedHeaders: { Authorization: `Bearer ${token}` },
      },
    },
  });
