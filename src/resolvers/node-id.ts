import { BadInputError } from '../rest/errors.ts';

/** An id that is unique over all types, the same on every replica: base64url of `Message:<id>`. */
export const toNodeId = (type: string, id: string): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');

/** The error for a text that toNodeId did not make; often it is a REST id. `type`: one that can be read by it. */
export const notNodeId = (type: string) =>
  new BadInputError(
    `This is not a \`nodeId\`: copy one from a field of that name. To find an object by its REST id, use the field of its type, such as \`${type.toLowerCase()}(id)\`.`,
  );

/** A `nodeId` of an id that can be asked for has at most 1,383. A longer one is not decoded. Unit: characters. */
const MAX_NODE_ID_CHARACTERS = 2048;

/** Reads type name and id from a `nodeId`; null for a text that toNodeId did not make. */
export function fromNodeId(nodeId: string): { type: string; id: string } | null {
  if (nodeId.length > MAX_NODE_ID_CHARACTERS) return null;
  const text = Buffer.from(nodeId, 'base64url').toString();
  const colon = text.indexOf(':');
  // Only the canonical encoding is accepted: with two ids for one object, a client's cache would hold it twice.
  const isCanonical = Buffer.from(text).toString('base64url') === nodeId;
  if (colon === -1 || !isCanonical) return null;
  return { type: text.slice(0, colon), id: text.slice(colon + 1) };
}
