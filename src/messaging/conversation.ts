import type {
  CreateConversationInput,
  QueryConversationsArgs,
  UpdateConversationInput,
} from '../generated/types.ts';
import {
  driftChecked,
  flag,
  id,
  idOrNull,
  object,
  timestamp,
  timestampOrNull,
} from '../rest/decode.ts';
import { shape } from '../rest/drift.ts';
import { BadInputError } from '../rest/errors.ts';
import { encodeForm } from '../rest/form.ts';
import { createList, type List, page } from '../rest/list.ts';
import { checkId, path } from '../rest/path.ts';
import type { Send } from '../rest/send.ts';

/** A conversation as the caller sees it. Timestamps are in the service's own unit. Source: Conversation. */
export interface Conversation {
  readonly id: string;
  readonly contactId: string | null;
  /** Null in a conversation with a single contact. */
  readonly groupId: string | null;
  /** Null when none is pinned. */
  readonly pinnedMessageId: string | null;
  readonly isPinned: boolean;
  readonly isMuted: boolean;
  readonly lastActiveAt: number | null;
  readonly lastOpenedAt: number | null;
  readonly createdAt: number;
  /** Null when not archived. */
  readonly archivedAt: number | null;
}

declare module '../resolvers/models.ts' {
  interface Models {
    Conversation: Conversation;
  }
}

type Filter = Pick<QueryConversationsArgs, 'muted' | 'archived' | 'pinned' | 'groupId'>;
/** With `archivedAt` in the service's unit. What is left out stays unchanged; null clears a field that can be cleared. */
export type ConversationUpdate = Omit<UpdateConversationInput, 'id' | 'archivedAtIso'>;

/** False and null mean: no filter. */
const toFilters = ({ muted, archived, pinned, groupId }: Filter) => ({
  muted: muted || undefined,
  archived: archived || undefined,
  pinned: pinned || undefined,
  group_id: groupId == null ? undefined : checkId(groupId),
});

/** The conversation calls. Source: Endpoints, "Conversations". */
export const conversations = {
  typeName: 'Conversation',
  filters: Object.keys(toFilters({})),

  list: (send: Send, filter: Filter): List<Conversation> =>
    createList(send, {
      path: path`/conversations`,
      filters: toFilters(filter),
      filtersById: filter.groupId != null,
      times: [
        ({ lastActiveAt, createdAt }) => lastActiveAt ?? createdAt,
        ({ createdAt }) => createdAt,
      ],
      read: readConversations,
    }),

  // Not async: throws BadInputError at once, and saves three steps for each object.
  get: (send: Send, id: string): Promise<Conversation> =>
    send.get(path`/conversations/${id}`, readConversation),

  create: (send: Send, conversation: CreateConversationInput): Promise<Conversation> =>
    send.write('POST', path`/conversations`, {
      encode: () => encodeNew(conversation),
      read: readConversation,
    }),

  update: (send: Send, id: string, change: ConversationUpdate): Promise<Conversation> =>
    send.write('PUT', path`/conversations/${id}`, {
      encode: () => encodeChange(change),
      read: readConversation,
    }),

  delete: (send: Send, id: string): Promise<void> =>
    send.delete(path`/conversations/${id}`),
};

/** Open point: both contact_id and group_id. Both are sent as given; the service decides. */
function encodeNew({ contactId, groupId }: CreateConversationInput): string {
  if (contactId == null && groupId == null) {
    throw new BadInputError('Give a `contactId`, a `groupId`, or both.');
  }
  return encodeForm({
    contact_id: contactId == null ? undefined : checkId(contactId),
    group_id: groupId == null ? undefined : checkId(groupId),
  });
}

/** Throws BadInputError for a field that cannot have its value. */
export function checkChange({
  pinnedMessageId,
  isPinned,
  isMuted,
}: ConversationUpdate): void {
  if (isPinned === null) throw new BadInputError('`isPinned` cannot be null.');
  if (isMuted === null) throw new BadInputError('`isMuted` cannot be null.');
  if (pinnedMessageId != null) checkId(pinnedMessageId);
}

function encodeChange(change: ConversationUpdate): string {
  checkChange(change);
  const form = encodeForm({
    pinned_message_id: change.pinnedMessageId,
    is_pinned: change.isPinned,
    is_muted: change.isMuted,
    archived_at: change.archivedAt,
  });
  if (form === '') {
    throw new BadInputError(
      'Give at least one of `pinnedMessageId`, `isPinned`, `isMuted`, `archivedAt`, `archivedAtIso`.',
    );
  }
  return form;
}

/** Source: Conversation. */
export const CONVERSATION = shape('Conversation', {
  id: 'string',
  contact_id: 'string',
  group_id: 'string',
  pinned_message_id: 'string',
  is_pinned: 'boolean',
  is_muted: 'boolean',
  last_active_at: 'number',
  last_opened_at: 'number',
  created_at: 'number',
  archived_at: 'number',
});

const decodeConversation = driftChecked(
  CONVERSATION,
  (wire): Conversation => ({
    id: id(wire, 'id'),
    contactId: idOrNull(wire, 'contact_id'),
    groupId: idOrNull(wire, 'group_id'),
    pinnedMessageId: idOrNull(wire, 'pinned_message_id'),
    isPinned: flag(wire, 'is_pinned'),
    isMuted: flag(wire, 'is_muted'),
    lastActiveAt: timestampOrNull(wire, 'last_active_at'),
    lastOpenedAt: timestampOrNull(wire, 'last_opened_at'),
    createdAt: timestamp(wire, 'created_at'),
    archivedAt: timestampOrNull(wire, 'archived_at'),
  }),
);

const readConversation = object(decodeConversation);
export const readConversations = page(decodeConversation);
