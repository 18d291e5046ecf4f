import type { Costs, FieldCost } from '../cost/declaration.ts';
import type { Resolvers, ResolversTypes } from '../generated/types.ts';
import type { GatewayContext } from './context.ts';
import type { Loaders } from './loaders.ts';
import { fromNodeId, type NodeType, notNodeId } from './node-id.ts';

export type NodeObject = Awaited<ResolversTypes['Node']>;

/** Loads an object of each type, and names the type. */
const LOAD: Readonly<
  Record<NodeType, (id: string, loaders: Loaders) => Promise<NodeObject | null>>
> = {
  Message: async (id, { message }) => withType('Message', await message.load(id)),
  Conversation: async (id, { conversation }) =>
    withType('Conversation', await conversation.load(id)),
};

const withType = <T>(type: NodeType, object: T | null) =>
  object && { ...object, __typename: type };

export const isNodeType = (type: string): type is NodeType => Object.hasOwn(LOAD, type);

/** Loads an object by type and id, and names its type; null for an unknown id. */
export const loadNode = (
  type: NodeType,
  id: string,
  loaders: Loaders,
): Promise<NodeObject | null> => LOAD[type](id, loaders);

/** Reads a `nodeId`; null for one that names no object of the schema. */
function read(nodeId: string): { type: NodeType; id: string } | null {
  const named = fromNodeId(nodeId);
  return named && isNodeType(named.type) ? { type: named.type, id: named.id } : null;
}

async function load(nodeId: string, loaders: Loaders): Promise<NodeObject | null> {
  const named = read(nodeId);
  if (named === null) throw notNodeId();
  return loadNode(named.type, named.id, loaders);
}

/** Begins to load all objects at once: they are fetched together. */
const loadAll = (
  nodeIds: readonly string[],
  { loaders }: GatewayContext,
): Promise<NodeObject | null>[] => nodeIds.map((nodeId) => load(nodeId, loaders));

export const node: Resolvers = {
  Query: {
    node: (_root, { nodeId }, { loaders }) => load(nodeId, loaders),
    // The execution waits for each promise of the list, but the generated types do not know such a list with nulls.
    nodes: (_root, { nodeIds }, context) =>
      loadAll(nodeIds, context) as Promise<NodeObject>[],
  },
};

const fetchByNodeId = (argument: string): FieldCost => ({
  kind: 'fetch',
  argument,
  read: (nodeId) => (typeof nodeId === 'string' ? read(nodeId) : null),
});

export const nodeCosts: Costs = {
  Query: {
    node: fetchByNodeId('nodeId'),
    nodes: fetchByNodeId('nodeIds'),
  },
};
