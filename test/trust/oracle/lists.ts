import type { Item } from './world.ts';

/** What can be listed, by its name in REST and in `Query`. */
export const KINDS = ['messages', 'conversations'] as const;
export type Kind = (typeof KINDS)[number];

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
  readonly ids?: Readonly<Record<string, readonly [type: string, by: string]>>;
  /** By field: what it lists, and by which argument. */
  readonly lists: Readonly<Record<string, readonly [of: Kind, by: string]>>;
  /** Few are so, and random operations choose them more often. */
  readonly isSpecial?: (item: Item) => boolean;
}

/** All that a random operation may read. A new resource adds its entry. */
export const LISTED: Readonly<Record<Kind, Listed>> = {
  messages: {
    type: 'Message',
    single: 'message',
    filters: { conversationId: { idIn: 'conversation_id', of: 'conversations' } },
    links: { conversation: ['conversations', 'conversation_id'] },
    lists: {},
    isSpecial: ({ reactions }) => (reactions as unknown[]).length > 0,
  },
  conversations: {
    type: 'Conversation',
    single: 'conversation',
    filters: {
      muted: { keeps: ({ is_muted }) => is_muted === true },
      archived: { keeps: ({ archived_at }) => archived_at !== null },
      pinned: { keeps: ({ is_pinned }) => is_pinned === true },
      groupId: { idIn: 'group_id' },
    },
    links: { pinnedMessage: ['messages', 'pinned_message_id'] },
    ids: { group: ['Group', 'group_id'] },
    lists: { messages: ['messages', 'conversationId'] },
  },
};
