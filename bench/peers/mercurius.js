// Mercurius on Fastify with its just-in-time compiler and loaders, over a pool of undici: as somebody who knows it
// writes it. The loaders are not cached, which its documentation recommends to avoid serialized cache keys; each
// asks once for an id that a batch holds several times. @fastify/compress is Fastify's own plugin, with its defaults:
// brotli of quality 4, from 1024 bytes on.
import compress from '@fastify/compress';
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { Pool } from 'undici';
import { renamed, typeDefs } from './schema.js';

const service = new Pool(process.env.MESSAGING_URL, { connections: 64 });

async function call(authorization, path, options) {
  const { statusCode, body } = await service.request({
    method: 'GET',
    path: `/v1/${path}`,
    ...options,
    headers: { authorization, ...options?.headers },
  });
  if (statusCode >= 300) {
    await body.dump();
    throw new Error(`the service answered ${statusCode}`);
  }
  return body.json();
}

const getConversation = (authorization, id) =>
  call(authorization, `conversations/${encodeURIComponent(id)}`);
const getMessage = (authorization, id) =>
  call(authorization, `messages/${encodeURIComponent(id)}`);

/** Asks once for each id that is not null. */
function getEach(ids, get) {
  const answers = new Map([[null, null]]);
  for (const id of ids) if (!answers.has(id)) answers.set(id, get(id));
  return Promise.all(ids.map((id) => answers.get(id)));
}

const resolvers = {
  Query: {
    conversation: (_, { id }, { authorization }) => getConversation(authorization, id),
    conversations: async (_, { first }, { authorization }) => {
      const { data } = await call(authorization, `conversations?limit=${first}`);
      return { nodes: data };
    },
    message: (_, { id }, { authorization }) => getMessage(authorization, id),
    messages: async (_, { first }, { authorization }) => {
      const { data } = await call(authorization, `messages?limit=${first}`);
      return { nodes: data };
    },
  },
  Mutation: {
    sendMessage: async (_, { input }, { authorization }) => ({
      message: await call(authorization, 'messages', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          conversation_id: input.conversationId,
          message: input.message,
        }).toString(),
      }),
    }),
  },
  Conversation: {
    ...renamed.Conversation,
    messages: async ({ id }, { first }, { authorization }) => {
      const query = `conversation_id=${encodeURIComponent(id)}&limit=${first}`;
      const { data } = await call(authorization, `messages?${query}`);
      return { nodes: data };
    },
  },
  Message: renamed.Message,
  Contact: renamed.Contact,
};

const loaders = {
  Conversation: {
    pinnedMessage: {
      loader: (queries, { authorization }) =>
        getEach(
          queries.map(({ obj }) => obj.pinned_message_id),
          (id) => getMessage(authorization, id),
        ),
      opts: { cache: false },
    },
  },
  Message: {
    conversation: {
      loader: (queries, { authorization }) =>
        getEach(
          queries.map(({ obj }) => obj.conversation_id),
          (id) => getConversation(authorization, id),
        ),
      opts: { cache: false },
    },
  },
};

const app = Fastify();
app.register(compress);
app.register(mercurius, {
  schema: typeDefs,
  resolvers,
  loaders,
  jit: 1,
  context: ({ headers }) => ({ authorization: headers.authorization }),
});
process.stdout.write(`ready at ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
