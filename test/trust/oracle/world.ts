import { GraphQLError } from 'graphql';
import { type Filter, KINDS, type Kind, LISTED } from './lists.ts';

/** Everything the service holds for one user, read once over REST. Expected answers are computed from it. */
export interface World extends Readonly<Record<Kind, readonly Item[]>> {
  /** The positions of known cursors. Cursors are opaque, so they are collected from answers. */
  readonly cursors: Map<string, Position>;
  /** Messages deleted by mutations: a cursor still marks the position of a deleted item. */
  readonly past?: { readonly deleted: readonly Item[]; readonly order: Order };
}

/** Compares two messages by their positions in a list. */
export type Order = (a: Item, b: Item) => number;

/** An object as the service sends it. */
export type Item = Readonly<Record<string, unknown>> & { readonly id: string };

/** The item that a cursor belongs to. */
export interface Position {
  readonly list: ListKey;
  readonly id: string;
}

/** A list's kind and filters, as JSON. */
export type ListKey = string;

/** Reads all that there is, without any cursors. */
export async function readWorld(serviceUrl: string, token: string): Promise<World> {
  const read = async (resource: string): Promise<Item[]> => {
    const response = await fetch(`${serviceUrl}/v1/${resource}?limit=1000000`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok) {
      const answer = `${response.status} ${await response.text()}`;
      throw new Error(`the embedded service does not list ${resource}: ${answer}`);
    }
    const { has_more, data } = (await response.json()) as {
      has_more: boolean;
      data: Item[];
    };
    if (has_more) throw new Error(`the list of ${resource} is incomplete`);
    return data;
  };
  const items = KINDS.map(async (kind) => [kind, await read(kind)] as const);
  const all = Object.fromEntries(await Promise.all(items)) as Record<Kind, Item[]>;
  return { ...all, cursors: new Map() };
}

/** The list that arguments select. A filter given as false filters nothing. */
export function listOf(kind: Kind, args: Arguments): ListKey {
  const filters = Object.entries(LISTED[kind].filters).map(([name, filter]) => [
    name,
    'keeps' in filter ? args[name] === true : (args[name] ?? null),
  ]);
  return JSON.stringify([kind, Object.fromEntries(filters)]);
}

/** The kind of a list, and the arguments that select it. */
export const readKey = (list: ListKey): [Kind, Arguments] => JSON.parse(list);

/** The items of a list in the service's order; null if the object whose list it is does not exist. */
export function itemsOf(world: World, list: ListKey): readonly Item[] | null {
  const [kind, args] = readKey(list);
  let items = world[kind];
  for (const [name, filter] of Object.entries(LISTED[kind].filters)) {
    const given = args[name];
    if (given === false || given === null) continue;
    if ('keeps' in filter) items = items.filter(filter.keeps);
    else {
      const { idIn, of } = filter;
      if (of !== undefined && !world[of].some(({ id }) => id === given)) return null;
      items = items.filter((wire) => wire[idIn] === given);
    }
  }
  return items;
}

/** The ids that a filter can have and keep some items, each once. */
export const idsFor = (
  world: World,
  kind: Kind,
  { idIn, of }: Extract<Filter, { idIn: string }>,
): readonly string[] => {
  const ids = of ? world[of].map(({ id }) => id) : world[kind].map((wire) => wire[idIn]);
  return [...new Set(ids.filter((id) => typeof id === 'string'))];
};

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
