import type { Resolvers, ResolversTypes } from '../generated/types.ts';
import type { GatewayContext } from './context.ts';
import { fromNodeId, type NodeType, notNodeId } from './node-id.ts';

type Loaders = GatewayContext['loaders'];
type NodeObject = Awaited<ResolversTypes['Node']>;

/** Loads an object and says of what type it is. */
const LOAD: Readonly<
  Record<NodeType, (id: string, loaders: Loaders) => Promise<NodeObject | null>>
> = {
  Message: async (id, { message }) => withType('Message', await message.load(id)),
  Conversation: async (id, { conversation }) =>
    withType('Conversation', await conversation.load(id)),
};

const withType = <T>(type: NodeType, object: T | null) =>
  object && { ...object, __typename: type };

async function load(nodeId: string, loaders: Loaders): Promise<NodeObject | null> {
  const { type, id } = fromNodeId(nodeId);
  if (!Object.hasOwn(LOAD, type)) throw notNodeId();
  return LOAD[type as NodeType](id, loaders);
}

export const node: Resolvers = {
  Query: {
    node: (_root, { nodeId }, { loaders }) => load(nodeId, loaders),
    // The generated types know no list of promises of null, which graphql resolves one by one.
    nodes: (_root, { nodeIds }, { loaders }) =>
      nodeIds.map((nodeId) => load(nodeId, loaders)) as Promise<NodeObject>[],
  },
};
