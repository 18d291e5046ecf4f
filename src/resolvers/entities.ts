import type { GraphQLFieldResolver } from 'graphql';
import type { FieldCost } from '../cost/declaration.ts';
import { isObject } from '../rest/decode.ts';
import { BadInputError } from '../rest/errors.ts';
import type { GatewayContext } from './context.ts';
import { isNodeType, loadNode, type NodeObject } from './node.ts';
import type { NodeType } from './node-id.ts';

interface EntitiesArguments {
  readonly representations: readonly unknown[];
}

/** The objects that a federation gateway names by type and id, in the given order; they are fetched together, each once. */
export const resolveEntities: GraphQLFieldResolver<
  unknown,
  GatewayContext,
  EntitiesArguments
> = (_root, { representations }, context, { fieldNodes }) => {
  const loading = representations.map((one) => load(one, context));
  return context.pauses.pace(loading, fieldNodes);
};

export const entitiesCost: FieldCost = {
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
