import type {
  CreateConversationInput,
  QueryConversationsArgs,
  UpdateConversationInput,
} from '../generated/types.ts';
import { type Decoded, decoder } from '../rest/decode.ts';
import { BadInputError } from '../rest/errors.ts';
import { encodeForm } from '../rest/form.ts';
import { checkId } from '../rest/path.ts';
import { createReads } from '../rest/reads.ts';
import type { Send } from '../rest/send.ts';

/** A conversation as the caller sees it. Timestamps are in the service's own unit. Source: Conversation. */
const conversation = decoder('Conversation', (wire) => ({
  id: wire.id('id'),
  contactId: wire.idOrNull('contact_id'),
  /** Null in a conversation with a single contact. */
  groupId: wire.idOrNull('group_id'),
  /** Null when none is pinned. */
  pinnedMessageId: wire.idOrNull('pinned_message_id'),
  isPinned: wire.flag('is_pinned'),
  isMuted: wire.flag('is_muted'),
  lastActiveAt: wire.timestampOrNull('last_active_at'),
  lastOpenedAt: wire.timestampOrNull('last_opened_at'),
  createdAt: wire.timestamp('created_at'),
  /** Null when not archived. */
  archivedAt: wire.timestampOrNull('archived_at'),
}));
export interface Conversation extends Decoded<typeof conversation> {}

declare module '../resolvers/models.ts' {
  interface Models {
    Conversation: Conversation;
  }
}

type Filter = Pick<QueryConversationsArgs, 'muted' | 'archived' | 'pinned' | 'groupId'>;
/** With `archivedAt` in the service's unit. What is left out stays unchanged; null clears a field that can be cleared. */
export type ConversationUpdate = Omit<UpdateConversationInput, 'id' | 'archivedAtIso'>;

const reads = createReads({
  name: 'conversations',
  decoder: conversation,
  times: [['lastActiveAt', 'createdAt'], ['createdAt']],
  otherTimes: [['lastOpenedAt', 'createdAt']],
  // False and null mean: no filter.
  toFilters: ({ muted, archived, pinned, groupId }: Filter) => ({
    muted: muted || undefined,
    archived: archived || undefined,
    pinned: pinned || undefined,
    group_id: groupId == null ? undefined : checkId(groupId),
  }),
});

/** The conversation calls. Source: Endpoints, "Conversations". */
export const conversations = {
  ...reads,

  create: (send: Send, conversation: CreateConversationInput): Promise<Conversation> =>
    send.write('POST', reads.path, {
      encode: () => encodeNew(conversation),
      read: reads.readOne,
    }),

  update: (send: Send, id: string, change: ConversationUpdate): Promise<Conversation> =>
    send.write('PUT', reads.toItemPath(id), {
      encode: () => encodeChange(change),
      read: reads.readOne,
    }),

  delete: (send: Send, id: string): Promise<void> => send.delete(reads.toItemPath(id)),
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
