/** What the service holds for one caller, as read over REST once: the truth that answers are compared with. */
export interface World {
  readonly messages: readonly Wire[];
  readonly conversations: readonly Wire[];
  /** Where the cursors lie that answers have shown; they are opaque, so they are learnt. */
  readonly places: Map<string, Place>;
  /** What mutations have deleted, where there were some: a cursor still marks its place. */
  readonly past?: { readonly deleted: readonly Wire[]; readonly order: Order };
}

/** Compares two messages by their places in a list. */
export type Order = (a: Wire, b: Wire) => number;

export type Wire = Readonly<Record<string, unknown>> & { readonly id: string };

/** An item of a list. */
export interface Place {
  readonly list: ListKey;
  readonly id: string;
}

/** Names a list: its kind and its filters, in JSON. */
export type ListKey = string;

export interface ConversationFilters {
  readonly muted?: unknown;
  readonly archived?: unknown;
  readonly pinned?: unknown;
  readonly groupId?: unknown;
}

/** Reads both lists whole. */
export async function readWorld(serviceUrl: string, token: string): Promise<World> {
  const read = async (resource: string): Promise<Wire[]> => {
    const response = await fetch(`${serviceUrl}/v1/${resource}?limit=1000000`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { has_more, data } = (await response.json()) as {
      has_more: boolean;
      data: Wire[];
    };
    if (has_more) throw new Error(`the list of ${resource} is not whole`);
    return data;
  };
  return {
    messages: await read('messages'),
    conversations: await read('conversations'),
    places: new Map(),
  };
}

export const messagesOf = (conversationId: unknown): ListKey =>
  JSON.stringify(['messages', conversationId ?? null]);

/** A filter given as false asks for no filter. */
export const conversationsBy = (filters: ConversationFilters): ListKey => {
  const { muted, archived, pinned, groupId } = filters;
  return JSON.stringify([
    'conversations',
    muted === true,
    archived === true,
    pinned === true,
    groupId ?? null,
  ]);
};

/** The items of a list in the service's order; null when it names a conversation nobody knows. */
export function itemsOf(world: World, list: ListKey): readonly Wire[] | null {
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
