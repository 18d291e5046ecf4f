import {
  type IExecutableSchemaDefinition,
  makeExecutableSchema,
} from '@graphql-tools/schema';
import {
  type GraphQLSchema,
  isIntrospectionType,
  isObjectType,
  type ResponsePath,
} from 'graphql';
import { type Costs, declareCosts } from '../cost/declaration.ts';
import { repeatClientMutationIds } from './client-mutation-id.ts';
import type { GatewayContext } from './context.ts';
import type { NodeType } from './loaders.ts';
import { createNodeFields, type NodeTypes } from './node.ts';
import { scalars } from './scalars.ts';
import { readSchema } from './schema-text.ts';
import { toSubgraph } from './subgraph.ts';

/** What a resource of the service adds to the schema. */
export interface Resource {
  /** Its calls, and the query parameters by which its list is filtered. Its type implements Node. */
  readonly calls: NodeType & { readonly filters: readonly string[] };
  readonly fields: ResolverMap;
  /** What the fields cost. */
  readonly costs: Costs;
}

type ResolverMap = Exclude<
  NonNullable<IExecutableSchemaDefinition<GatewayContext>['resolvers']>,
  readonly unknown[]
>;

/** The schema that clients see: every .graphql file in `schema/`, with its resolvers and the costs of its fields. */
export function createSchema(resources: readonly Resource[]): GraphQLSchema {
  const nodes = createNodeFields(toNodeTypes(resources));
  const schema = makeExecutableSchema({
    typeDefs: readSchema(),
    resolvers: [scalars, nodes.fields, ...resources.map(({ fields }) => fields)],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  repeatClientMutationIds(schema);
  declareCosts(schema, [nodes.costs, ...resources.map(({ costs }) => costs)]);
  return schema;
}

const toNodeTypes = (resources: readonly Resource[]): NodeTypes =>
  new Map(resources.map(({ calls }) => [calls.typeName, calls]));

interface ExecutableOptions {
  readonly resources: readonly Resource[];
  /** Whether calls are attributed to the fields that need them. Default false. */
  readonly attributesCalls?: boolean;
  /** Whether clients may read the schema. Default true. */
  readonly introspection?: boolean;
}

/** The schema that operations are executed with. */
export function createExecutableSchema({
  resources,
  attributesCalls = false,
  introspection = true,
}: ExecutableOptions): GraphQLSchema {
  const nodes = toNodeTypes(resources);
  const schema = toSubgraph(createSchema(resources), nodes, introspection);
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
