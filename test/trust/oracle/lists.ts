import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
} from 'graphql';
import type { Item } from './world.ts';

/** What can be listed, by its name in REST and in `Query`. A kind that tests do not name needs no place here. */
export type Kind = 'messages' | 'conversations';

/** Keeps some items: if it is true, those for which `keeps` holds; if it is an id, those that have it in a field. */
export type Filter =
  | { readonly keeps: (item: Item) => boolean }
  | {
      readonly idIn: string;
      /** The list of what it names. Without such an object, there is no list. */
      readonly of?: Kind;
    };

interface Listed {
  readonly type: string;
  /** The field of `Query` for one of them. */
  readonly single: string;
  /** By argument. */
  readonly filters: Readonly<Record<string, Filter>>;
  /** By field: what it leads to, and which field of the service's object has its id. */
  readonly links: Readonly<Record<string, readonly [to: Kind, by: string]>>;
  /** By field: what is known by its id alone, and which field has that. */
  readonly ids: Readonly<Record<string, readonly [type: string, by: string]>>;
  /** By field: what it lists, and by which argument. */
  readonly lists: Readonly<Record<string, readonly [of: Kind, by: string]>>;
  /** Whether it may be listed the newest first. */
  readonly hasOrder: boolean;
  /** Few are so, and random operations choose them more often. */
  readonly isSpecial?: ((item: Item) => boolean) | undefined;
}

/** What the schema does not say. A resource whose list has filters adds its entry. */
const MEANINGS: Readonly<Record<string, Pick<Listed, 'filters' | 'isSpecial'>>> = {
  messages: {
    filters: { conversationId: { idIn: 'conversation_id', of: 'conversations' } },
    isSpecial: ({ reactions }) => (reactions as unknown[]).length > 0,
  },
  conversations: {
    filters: {
      muted: { keeps: ({ is_muted }) => is_muted === true },
      archived: { keeps: ({ archived_at }) => archived_at !== null },
      pinned: { keeps: ({ is_pinned }) => is_pinned === true },
      groupId: { idIn: 'group_id' },
    },
  },
};

/** `lastActiveAt` as `last_active_at`. */
export const toRestName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Field = GraphQLField<unknown, unknown>;

const PAGING = ['first', 'after', 'last', 'before', 'order'];
const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields());
const inQuery = fieldsOf(schema.getType('Query') as GraphQLObjectType);

/** The type of the items that a field lists, if it is a list. */
function itemIn({ type }: Field): GraphQLObjectType | undefined {
  const connection = getNamedType(type);
  if (!isObjectType(connection)) return undefined;
  const { nodes } = connection.getFields();
  return nodes && (getNamedType(nodes.type) as GraphQLObjectType);
}

const kindOf = (item: GraphQLNamedType): Kind | undefined =>
  inQuery.find((field) => itemIn(field) === item)?.name as Kind | undefined;

/** All that a random operation may read. */
export const LISTED = Object.fromEntries(
  inQuery.flatMap((field) => {
    const item = itemIn(field);
    return item === undefined ? [] : [[field.name, describe(field, item)]];
  }),
) as Readonly<Record<Kind, Listed>>;

export const KINDS = Object.keys(LISTED) as readonly Kind[];

function describe({ name: kind, args }: Field, item: GraphQLObjectType): Listed {
  const { filters, isSpecial } = MEANINGS[kind] ?? { filters: {} };
  const unknown = args.filter(({ name }) => !PAGING.includes(name) && !(name in filters));
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(', ');
    throw new Error(
      `add what \`${names}\` of ${kind} keeps to test/trust/oracle/lists.ts`,
    );
  }
  const single = inQuery.find(({ type }) => getNamedType(type) === item)?.name ?? '';
  const hasOrder = args.some(({ name }) => name === 'order');
  const links: Record<string, [Kind, string]> = {};
  const ids: Record<string, [string, string]> = {};
  const lists: Record<string, [Kind, string]> = {};
  for (const field of fieldsOf(item)) {
    const type = getNamedType(field.type);
    const inside = itemIn(field);
    const listed = inside && kindOf(inside);
    const linked = kindOf(type);
    const by = `${toRestName(field.name)}_id`;
    if (listed !== undefined) lists[field.name] = [listed, `${single}Id`];
    else if (!(`${field.name}Id` in item.getFields())) continue;
    else if (linked === undefined) ids[field.name] = [type.name, by];
    else links[field.name] = [linked, by];
  }
  return { type: item.name, single, filters, links, ids, lists, hasOrder, isSpecial };
}
