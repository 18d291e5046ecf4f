import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type GraphQLSchema,
  isIntrospectionType,
  isObjectType,
  type ResponsePath,
} from 'graphql';
import { declareCosts } from '../cost/declaration.ts';
import type { GatewayContext } from './context.ts';
import { costs, resolvers } from './index.ts';
import { readSchemaFiles } from './schema-text.ts';
import { toSubgraph } from './subgraph.ts';

/** The schema that clients see: every .graphql file in `schema/`, with its resolvers and the costs of its fields. */
export function createSchema(): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs: [...readSchemaFiles()],
    resolvers,
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  declareCosts(schema, costs);
  return schema;
}

interface ExecutableOptions {
  /** Whether calls are attributed to the fields that need them. Default false. */
  readonly attributesCalls?: boolean;
  /** Whether clients may read the schema. Default true. */
  readonly introspection?: boolean;
}

/** The schema that operations are executed with. */
export function createExecutableSchema({
  attributesCalls = false,
  introspection = true,
}: ExecutableOptions = {}): GraphQLSchema {
  const schema = toSubgraph(createSchema(), { hidesSchema: !introspection });
  if (attributesCalls) attributeCalls(schema);
  return schema;
}

/** Runs every resolver under the path of its field, so that calls can be attributed to the fields that need them. */
function attributeCalls(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    // Every schema of the process shares the types of introspection, which make no calls.
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      if (resolve === undefined) continue;
      field.resolve = (parent, args, context: GatewayContext, info) => {
        const run = () => resolve(parent, args, context, info);
        const { attribution } = context;
        return attribution === null ? run() : attribution.runAs(toText(info.path), run);
      };
    }
  }
}

/** `conversations.nodes.0.messages`. */
const toText = ({ prev, key }: ResponsePath): string =>
  prev === undefined ? String(key) : `${toText(prev)}.${key}`;
