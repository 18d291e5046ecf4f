import type { NodeResolvers } from '../generated/types.ts';
import { BadInputError } from '../rest/errors.ts';

/** The types a `nodeId` can name: those the schema has as Nodes. */
export type NodeType = NonNullable<Awaited<ReturnType<NodeResolvers['__resolveType']>>>;

/** An id that is unique over all types: base64url of `Message:<id>`. The same on every replica. */
export const toNodeId = (type: NodeType, id: string): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');

/** What to say to a text that toNodeId did not make; often it is the service's own id. */
export const notNodeId = () =>
  new BadInputError(
    "This is no `nodeId`: take one from the field of that name. A service's own id goes to `message(id)` or `conversation(id)`.",
  );

/** The type name and id in a `nodeId`; throws BadInputError for what toNodeId did not make. */
export function fromNodeId(nodeId: string): { type: string; id: string } {
  const text = Buffer.from(nodeId, 'base64url').toString();
  const colon = text.indexOf(':');
  // Only the one canonical writing counts: two ids of one object would be two objects to a cache.
  const isCanonical = Buffer.from(text).toString('base64url') === nodeId;
  if (colon === -1 || !isCanonical) throw notNodeId();
  return { type: text.slice(0, colon), id: text.slice(colon + 1) };
}
