import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { GraphQLError, parse } from 'graphql';
import { createYoga } from 'graphql-yoga';

/** A second subgraph: notes about conversations, and texts that messaging does not have. All of it is in memory. */

const typeDefs = parse(readFileSync(new URL('notes.graphql', import.meta.url), 'utf8'));

/** By the token of their author. A real service would ask who the caller is. */
const notes = new Map([
  [
    'Bearer ada-sample-token',
    [{ id: 'note_1', text: 'Bring the camera.', conversationId: 'conv_lisbon_trip' }],
  ],
]);
let written = notes.size;

function notesOf({ request }) {
  const author = request.headers.get('authorization');
  if (author === null) {
    throw new GraphQLError('Send the header Authorization.', {
      extensions: { code: 'UNAUTHENTICATED' },
    });
  }
  const own = notes.get(author) ?? [];
  notes.set(author, own);
  return own;
}

/** By the last digit of the id, so that every contact has one. */
const TEAMS = ['Design', 'Engineering', 'Support'];

const resolvers = {
  Query: {
    notes: (_root, _args, context) => notesOf(context),
  },
  Mutation: {
    addNote(_root, { conversationId, text }, context) {
      written += 1;
      const note = { id: `note_${written}`, text, conversationId };
      notesOf(context).push(note);
      return note;
    },
  },
  Note: {
    __resolveReference: async ({ id }, context) =>
      notesOf(context).find((note) => note.id === id) ?? null,
    conversation: ({ conversationId }) => ({ id: conversationId }),
  },
  Conversation: {
    __resolveReference: async ({ id }) => ({ id }),
    notes: ({ id }, _args, context) =>
      notesOf(context).filter(({ conversationId }) => conversationId === id),
  },
  Group: {
    // `group_lisbon_trip` is "Lisbon trip".
    __resolveReference: async ({ id }) => ({ id }),
    noteTitle({ id }) {
      const words = id.replace(/^group_/, '').replaceAll('_', ' ');
      return words.charAt(0).toUpperCase() + words.slice(1);
    },
  },
  Contact: {
    __resolveReference: async ({ id }) => ({ id }),
    team: ({ id }) => TEAMS[id.charCodeAt(id.length - 1) % TEAMS.length],
  },
};

/** The subgraph, for a server of node:http. */
export const notesSubgraph = createYoga({
  schema: buildSubgraphSchema([{ typeDefs, resolvers }]),
  logging: false,
});
