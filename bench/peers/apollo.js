// Apollo Server's standalone server with @apollo/datasource-rest, as the documentation of both writes it:
// https://www.apollographql.com/docs/apollo-server/data/fetching-rest
// The standalone server does not compress answers.
import { RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { renamed, typeDefs } from './schema.js';

class MessagingAPI extends RESTDataSource {
  baseURL = `${process.env.MESSAGING_URL}/v1/`;

  constructor(options) {
    super(options);
    this.token = options.token;
  }

  willSendRequest(_path, request) {
    request.headers.authorization = this.token;
  }

  getConversation(id) {
    return this.get(`conversations/${encodeURIComponent(id)}`);
  }

  async getConversations(limit) {
    const { data } = await this.get('conversations', {
      params: { limit: limit.toString() },
    });
    return data;
  }

  getMessage(id) {
    return this.get(`messages/${encodeURIComponent(id)}`);
  }

  async getMessages(limit, conversationId) {
    const params = { limit: limit.toString() };
    if (conversationId !== undefined) params.conversation_id = conversationId;
    const { data } = await this.get('messages', { params });
    return data;
  }

  sendMessage({ conversationId, message }) {
    return this.post('messages', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ conversation_id: conversationId, message }).toString(),
    });
  }
}

const resolvers = {
  Query: {
    conversation: (_, { id }, { dataSources }) =>
      dataSources.messagingAPI.getConversation(id),
    conversations: async (_, { first }, { dataSources }) => ({
      nodes: await dataSources.messagingAPI.getConversations(first),
    }),
    message: (_, { id }, { dataSources }) => dataSources.messagingAPI.getMessage(id),
    messages: async (_, { first }, { dataSources }) => ({
      nodes: await dataSources.messagingAPI.getMessages(first),
    }),
  },
  Mutation: {
    sendMessage: async (_, { input }, { dataSources }) => ({
      message: await dataSources.messagingAPI.sendMessage(input),
    }),
  },
  Conversation: {
    ...renamed.Conversation,
    pinnedMessage: (conversation, _, { dataSources }) =>
      conversation.pinned_message_id === null
        ? null
        : dataSources.messagingAPI.getMessage(conversation.pinned_message_id),
    messages: async (conversation, { first }, { dataSources }) => ({
      nodes: await dataSources.messagingAPI.getMessages(first, conversation.id),
    }),
  },
  Message: {
    ...renamed.Message,
    conversation: (message, _, { dataSources }) =>
      dataSources.messagingAPI.getConversation(message.conversation_id),
  },
  Contact: renamed.Contact,
};

const server = new ApolloServer({ typeDefs, resolvers });
const { url } = await startStandaloneServer(server, {
  context: async ({ req }) => {
    const { cache } = server;
    const token = req.headers.authorization;
    return { dataSources: { messagingAPI: new MessagingAPI({ cache, token }) } };
  },
  listen: { port: 0, host: '127.0.0.1' },
});
process.stdout.write(`ready at ${url}\n`);
