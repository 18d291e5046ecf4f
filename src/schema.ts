import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { resolvers } from './resolvers/index.ts';

const FOLDER = new URL('../schema/', import.meta.url);

/** The schema of every .graphql file in `schema/`, with its resolvers. */
export function createSchema(): GraphQLSchema {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));
  return makeExecutableSchema({
    typeDefs: files.map((file) => readFileSync(new URL(file, FOLDER), 'utf8')),
    resolvers,
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}
