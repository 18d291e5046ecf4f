import { GraphQLError } from 'graphql';

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

export type Arguments = Readonly<Record<string, unknown>>;

/** An object of the expected answer: its type and the record from which its fields are read. */
export interface OracleObject {
  readonly type: string;
  readonly wire: Readonly<Record<string, unknown>>;
}

/** What a field fails with. */
export const failure = (code: string): Error =>
  new GraphQLError(code, { extensions: { code } });
export const BAD_INPUT = failure('BAD_USER_INPUT');

/** Stands for any cursor, which then belongs to this item. No text of the service begins so. */
export const anyCursor = (position: Position): string =>
  `${CURSOR}${JSON.stringify(position)}`;
const CURSOR = '\u0000any cursor ';

export const positionOf = (value: unknown): Position | null =>
  typeof value === 'string' && value.startsWith(CURSOR)
    ? JSON.parse(value.slice(CURSOR.length))
    : null;

/** `lastActiveAt` as `last_active_at`. */
export const toRestName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
