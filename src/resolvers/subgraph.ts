import {
  type GraphQLFieldResolver,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  isAbstractType,
} from 'graphql';
import type { FieldCost } from '../cost/declaration.ts';
import { showInstead } from '../document/shown-schema.ts';
import { isObject } from '../rest/decode.ts';
import { BadInputError } from '../rest/errors.ts';
import type { GatewayContext } from './context.ts';
import { isNodeType, loadNode, type NodeObject } from './node.ts';
import type { NodeType } from './node-id.ts';
import { printSchema } from './schema-text.ts';

/**
 * The schema that is executed: the schema of clients, and the two fields by which a federation gateway uses it as a
 * subgraph. Introspection does not show these. See Apollo Federation's specification of subgraphs.
 */
export function toSubgraph(
  clients: GraphQLSchema,
  { hidesSchema }: { readonly hidesSchema: boolean },
): GraphQLSchema {
  const { query, types, extensions, ...config } = clients.toConfig();
  if (query == null) throw new Error('The schema has no queries.');
  const { fields, ...root } = query.toConfig();
  const withEntities = new GraphQLObjectType<unknown, GatewayContext>({
    ...root,
    fields: {
      ...fields,
      _entities: entitiesField(clients),
      ...(!hidesSchema && { _service: serviceField() }),
    },
  });
  return new GraphQLSchema({
    ...config,
    query: withEntities,
    types: types.filter((type) => type !== query),
    extensions: { ...extensions, ...showInstead(clients) },
  });
}

/** `_entities(representations: [_Any!]!): [_Entity]!`: the objects of every type that can be fetched by its id. */
function entitiesField(clients: GraphQLSchema) {
  const node = clients.getType('Node');
  if (!isAbstractType(node)) throw new Error('The schema has no interface Node.');
  const entity = new GraphQLUnionType({
    name: '_Entity',
    types: [...clients.getPossibleTypes(node)],
  });
  const any = new GraphQLScalarType({ name: '_Any' });
  return {
    type: new GraphQLNonNull(new GraphQLList(entity)),
    args: {
      representations: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(any))),
      },
    },
    resolve: resolveEntities,
    extensions: { cost: entitiesCost },
  };
}

/** `_service: _Service!`, whose `sdl` is the schema as a composer needs it. */
function serviceField() {
  let sdl: string | null = null;
  return {
    type: new GraphQLNonNull(
      new GraphQLObjectType({
        name: '_Service',
        fields: { sdl: { type: GraphQLString } },
      }),
    ),
    resolve() {
      sdl ??= printSchema({ federation: true });
      return { sdl };
    },
  };
}

interface EntitiesArguments {
  readonly representations: readonly unknown[];
}

/** The objects that a federation gateway names by type and id, in the given order; they are fetched together, each once. */
const resolveEntities: GraphQLFieldResolver<
  unknown,
  GatewayContext,
  EntitiesArguments
> = (_root, { representations }, context) =>
  representations.map((one) => load(one, context));

const entitiesCost: FieldCost = {
  kind: 'fetch',
  argument: 'representations',
  read: readKey,
};

async function load(
  representation: unknown,
  { loaders }: GatewayContext,
): Promise<NodeObject | null> {
  const key = readKey(representation);
  if (key === null) throw notEntity();
  return loadNode(key.type, key.id, loaders);
}

/** Null for what names no message and no conversation. */
function readKey(representation: unknown): { type: NodeType; id: string } | null {
  if (!isObject(representation)) return null;
  const { __typename: type, id } = representation;
  if (typeof type !== 'string' || !isNodeType(type)) return null;
  if (typeof id === 'string') return { type, id };
  // Some servers write an ID that is a number as one. A larger one has lost digits.
  return Number.isSafeInteger(id) ? { type, id: String(id) } : null;
}

const notEntity = () =>
  new BadInputError(
    'A representation needs the `__typename` Message or Conversation, and its `id`. No call fetches a Contact or a Group.',
  );
