import {
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  isAbstractType,
} from 'graphql';
import { showInstead } from '../document/shown-schema.ts';
import type { GatewayContext } from './context.ts';
import { entitiesCost, resolveEntities } from './entities.ts';
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
