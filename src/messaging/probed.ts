import type { Shape } from '../rest/drift.ts';
import type { ReadPage } from '../rest/list.ts';
import { type Path, path } from '../rest/path.ts';
import { CONVERSATION, conversations, readConversations } from './conversation.ts';
import { CONTACT, MESSAGE, messages, readMessages } from './message.ts';

/** One of the service's lists, as the probe and the check examine it. */
export interface ProbedList {
  readonly name: string;
  /** The type of its items in the schema. */
  readonly typeName: string;
  readonly path: Path;
  readonly toItemPath: (id: string) => Path;
  readonly read: ReadPage<unknown>;
  readonly shape: Shape;
  /** The objects inside its items, by field. */
  readonly inner: Readonly<Record<string, Shape>>;
  /** The times by which it may be sorted: a field, and the one that counts where it is null. */
  readonly times: readonly (readonly string[])[];
  /** Some services list only the items of one object in another list. */
  readonly within?: { readonly list: ProbedList; readonly filter: string };
}

export const CONVERSATIONS: ProbedList = {
  name: 'conversations',
  typeName: conversations.typeName,
  path: path`/conversations`,
  toItemPath: (id) => path`/conversations/${id}`,
  read: readConversations,
  shape: CONVERSATION,
  inner: {},
  times: [
    ['last_active_at', 'created_at'],
    ['created_at'],
    ['last_opened_at', 'created_at'],
  ],
};

export const MESSAGES: ProbedList = {
  name: 'messages',
  typeName: messages.typeName,
  path: path`/messages`,
  toItemPath: (id) => path`/messages/${id}`,
  read: readMessages,
  shape: MESSAGE,
  inner: { contact: CONTACT },
  times: [['created_at'], ['updated_at', 'created_at']],
  within: { list: CONVERSATIONS, filter: 'conversation_id' },
};

/** The lists, the one that shows most first. */
export const PROBED_LISTS: readonly [ProbedList, ...ProbedList[]] = [
  MESSAGES,
  CONVERSATIONS,
];
