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
  isObjectType,
} from 'graphql';
import type { FieldCost } from '../cost/declaration.ts';
import { showInstead } from '../document/shown-schema.ts';
import { isObject } from '../rest/decode.ts';
import { BadInputError } from '../rest/errors.ts';
import type { GatewayContext } from './context.ts';
import type { NodeType } from './loaders.ts';
import { loadNode, type NodeObject, type NodeTypes } from './node.ts';
import { printSchema } from './schema-text.ts';

/**
 * The schema that is executed: the schema of clients, and the two fields by which a federation gateway uses it as a
 * subgraph. Introspection does not show these. See Apollo Federation's specification of subgraphs.
 */
export function toSubgraph(
  clients: GraphQLSchema,
  types: NodeTypes,
  introspection: boolean,
): GraphQLSchema {
  const { query, types: all, extensions, ...config } = clients.toConfig();
  if (query == null) throw new Error('The schema has no queries.');
  const { fields, ...root } = query.toConfig();
  const withEntities = new GraphQLObjectType<unknown, GatewayContext>({
    ...root,
    fields: {
      ...fields,
      _entities: entitiesField(clients, types),
      ...(introspection && { _service: serviceField() }),
    },
  });
  return new GraphQLSchema({
    ...config,
    query: withEntities,
    types: all.filter((type) => type !== query),
    extensions: { ...extensions, ...showInstead(clients) },
  });
}

/** `_entities(representations: [_Any!]!): [_Entity]!`: the objects of every type that can be fetched by its id. */
function entitiesField(clients: GraphQLSchema, types: NodeTypes) {
  const node = clients.getType('Node');
  if (!isAbstractType(node)) throw new Error('The schema has no interface Node.');
  const entity = new GraphQLUnionType({
    name: '_Entity',
    types: [...clients.getPossibleTypes(node)],
  });
  const unfetchable = unfetchableOf(clients);
  const any = new GraphQLScalarType({ name: '_Any' });
  const read = (representation: unknown) => readKey(representation, types);
  const cost: FieldCost = {
    kind: 'fetch',
    argument: 'representations',
    read(representation) {
      const key = read(representation);
      return key && { type: key.type.typeName, id: key.id };
    },
  };
  /** Loads the objects that a federation gateway names by type and id, in the given order: together, and each once. */
  const resolve: GraphQLFieldResolver<unknown, GatewayContext, EntitiesArguments> = (
    _root,
    { representations },
    { loaders },
  ) =>
    representations.map(async (representation): Promise<NodeObject | null> => {
      const key = read(representation);
      if (key === null) throw notEntity(types, unfetchable);
      return loadNode(key.type, key.id, loaders);
    });
  return {
    type: new GraphQLNonNull(new GraphQLList(entity)),
    args: {
      representations: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(any))),
      },
    },
    resolve,
    extensions: { cost },
  };
}

interface EntitiesArguments {
  readonly representations: readonly unknown[];
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

/** Null for what names no object that can be fetched. */
function readKey(
  representation: unknown,
  types: NodeTypes,
): { type: NodeType; id: string } | null {
  if (!isObject(representation)) return null;
  const { __typename: name, id } = representation;
  const type = typeof name === 'string' ? types.get(name) : undefined;
  if (type === undefined) return null;
  if (typeof id === 'string') return { type, id };
  // Some servers write an ID that is a number as one. A larger one has lost digits.
  return Number.isSafeInteger(id) ? { type, id: String(id) } : null;
}

/** The types whose objects have an id but no call that fetches them. */
const unfetchableOf = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => 'id' in type.getFields() && type.getInterfaces().length === 0)
    .map(({ name }) => name)
    .toSorted();

const notEntity = (types: NodeTypes, unfetchable: readonly string[]) =>
  new BadInputError(
    `A representation needs the \`__typename\` ${[...types.keys()].join(' or ')}, and its \`id\`. No call fetches a ${unfetchable.join(' or a ')}.`,
  );
