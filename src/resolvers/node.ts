import type { Costs, FieldCost } from '../cost/declaration.ts';
import type { Identified } from '../rest/list.ts';
import type { GatewayContext } from './context.ts';
import type { Loaders, NodeType } from './loaders.ts';
import { fromNodeId, notNodeId } from './node-id.ts';

/** The types that implement Node, by name. */
export type NodeTypes = ReadonlyMap<string, NodeType>;

/** An object that names its type, because the field that returns it does not. */
export type NodeObject = Identified & { readonly __typename: string };

/** Loads an object by type and id; null for an unknown id. */
export async function loadNode(
  type: NodeType,
  id: string,
  loaders: Loaders,
): Promise<NodeObject | null> {
  const object = await loaders.of(type).load(id);
  return object && { ...object, __typename: type.typeName };
}

/** The fields `Query.node` and `Query.nodes`, and what they cost. */
export function createNodeFields(types: NodeTypes) {
  const [first = ''] = types.keys();

  /** Reads a `nodeId`; null for one that names no object of the schema. */
  function read(nodeId: string) {
    const named = fromNodeId(nodeId);
    return named !== null && types.has(named.type) ? named : null;
  }

  async function load(nodeId: string, loaders: Loaders): Promise<NodeObject | null> {
    const named = read(nodeId);
    const type = named && types.get(named.type);
    if (!named || !type) throw notNodeId(first);
    return loadNode(type, named.id, loaders);
  }

  const fetchByNodeId = (argument: string): FieldCost => ({
    kind: 'fetch',
    argument,
    read: (nodeId) => (typeof nodeId === 'string' ? read(nodeId) : null),
  });

  const costs: Costs = {
    Query: {
      node: fetchByNodeId('nodeId'),
      nodes: fetchByNodeId('nodeIds'),
    },
  };
  return {
    fields: {
      Query: {
        node: (
          _root: unknown,
          { nodeId }: { readonly nodeId: string },
          { loaders }: GatewayContext,
        ) => load(nodeId, loaders),
        /** Begins to load all objects at once: they are fetched together. */
        nodes: (
          _root: unknown,
          { nodeIds }: { readonly nodeIds: readonly string[] },
          { loaders }: GatewayContext,
        ) => nodeIds.map((nodeId) => load(nodeId, loaders)),
      },
    },
    costs,
  };
}
