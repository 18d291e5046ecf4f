/** The `nodeId` of an object, made here anew: it means the same to every replica, and for good. */
export const nodeIdOf = (type: string, id: unknown): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');
