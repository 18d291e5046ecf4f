/** Everything the service holds for one user, read once over REST. Expected answers are computed from it. */
export interface World {
  readonly messages: readonly Item[];
  readonly conversations: readonly Item[];
  /** The positions of known cursors. Cursors are opaque, so they are collected from answers. */
  readonly cursors: Map<string, Position>;
  /** Messages deleted by mutations: a cursor still marks the position of a deleted item. */
  readonly past?: { readonly deleted: readonly Item[]; readonly order: Order };
}

/** Compares two messages by their positions in a list. */
export type Order = (a: Item, b: Item) => number;

/** A message or a conversation as the service sends it. */
export type Item = Readonly<Record<string, unknown>> & { readonly id: string };

/** The item that a cursor belongs to. */
export interface Position {
  readonly list: ListKey;
  readonly id: string;
}

/** A list's kind and filters, as JSON. */
export type ListKey = string;

/** Reads all messages and conversations, without any cursors. */
export async function readWorld(serviceUrl: string, token: string): Promise<World> {
  const read = async (resource: string): Promise<Item[]> => {
    const response = await fetch(`${serviceUrl}/v1/${resource}?limit=1000000`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { has_more, data } = (await response.json()) as {
      has_more: boolean;
      data: Item[];
    };
    if (has_more) throw new Error(`the list of ${resource} is incomplete`);
    return data;
  };
  return {
    messages: await read('messages'),
    conversations: await read('conversations'),
    cursors: new Map(),
  };
}

export const messagesOf = (conversationId: unknown): ListKey =>
  JSON.stringify(['messages', conversationId ?? null]);

/** A filter given as false filters nothing. */
export const conversationsBy = ({
  muted,
  archived,
  pinned,
  groupId,
}: Readonly<Record<string, unknown>>): ListKey =>
  JSON.stringify([
    'conversations',
    muted === true,
    archived === true,
    pinned === true,
    groupId ?? null,
  ]);

/** The items of a list in the service's order; null if its conversation does not exist. */
export function itemsOf(world: World, list: ListKey): readonly Item[] | null {
  const [kind, ...filters] = JSON.parse(list);
  if (kind === 'messages') {
    const [conversationId] = filters;
    if (conversationId === null) return world.messages;
    if (!world.conversations.some(({ id }) => id === conversationId)) return null;
    return world.messages.filter((wire) => wire.conversation_id === conversationId);
  }
  const [muted, archived, pinned, groupId] = filters;
  return world.conversations.filter(
    (wire) =>
      (!muted || wire.is_muted === true) &&
      (!archived || wire.archived_at !== null) &&
      (!pinned || wire.is_pinned === true) &&
      (groupId === null || wire.group_id === groupId),
  );
}

/** The `nodeId` of an object. Computed here anew, because node ids must never change. */
export const nodeIdOf = (type: string, id: unknown): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');
