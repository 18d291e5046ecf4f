import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, isObjectType, type ResponsePath } from 'graphql';
import type { GatewayContext } from './context.ts';
import { resolvers } from './index.ts';

const FOLDER = new URL('../../schema/', import.meta.url);

/** The schema of every .graphql file in `schema/`, with its resolvers. */
export function createSchema(): GraphQLSchema {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));
  return makeExecutableSchema({
    typeDefs: files.map((file) => readFileSync(new URL(file, FOLDER), 'utf8')),
    resolvers,
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}

/** Lets every resolver run in the name of its field, so that calls can be told apart by the fields that want them. */
export function nameFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      if (resolve === undefined) continue;
      field.resolve = (parent, args, context: GatewayContext, info) =>
        context.wants.by(toText(info.path), () => resolve(parent, args, context, info));
    }
  }
  return schema;
}

/** `conversations.nodes.0.messages`. */
const toText = ({ prev, key }: ResponsePath): string =>
  prev === undefined ? String(key) : `${toText(prev)}.${key}`;
