import { isBadId } from '../oracle/fields.ts';
import type { Arguments } from '../oracle/world.ts';

/** The most levels of lists and objects in an attachment. */
const MAX_LEVELS = 64;

type Inputs = readonly Arguments[] | null | undefined;

/** Whether the gateway refuses the input of a mutation without calling the service. */
export const REFUSED: Readonly<Record<string, (input: Arguments) => boolean>> = {
  sendMessage: ({ conversationId, message, attachments }) =>
    isBadId(conversationId) || isMalformed(message) || areBad(attachments),
  updateMessage: ({ id, message, reactions, attachments }) =>
    isBadId(id) ||
    isEmptyUpdate([message, reactions, attachments]) ||
    message === null ||
    isMalformed(message) ||
    ((reactions as Inputs) ?? []).some(
      ({ name, usernames }) =>
        isBadKey(name) || (usernames as unknown[]).some(isMalformed),
    ) ||
    areBad(attachments),
  addReaction: isBadReaction,
  removeReaction: isBadReaction,
  deleteMessage: ({ id }) => isBadId(id),
  createConversation: ({ contactId, groupId }) => {
    const given = [contactId, groupId].filter((id) => id != null);
    return given.length === 0 || given.some(isBadId);
  },
  updateConversation: ({
    id,
    pinnedMessageId,
    isPinned,
    isMuted,
    archivedAt,
    archivedAtIso,
  }) =>
    isBadId(id) ||
    isEmptyUpdate([pinnedMessageId, isPinned, isMuted, archivedAt, archivedAtIso]) ||
    (archivedAt !== undefined && archivedAtIso !== undefined) ||
    isPinned === null ||
    isMuted === null ||
    (pinnedMessageId != null && isBadId(pinnedMessageId)),
  deleteConversation: ({ id }) => isBadId(id),
};

/** Whether it is empty or too long. */
export const isBadClientMutationId = (id: unknown): boolean =>
  typeof id === 'string' && (id === '' || id.length > 128);

function isBadReaction({ messageId, name, username }: Arguments): boolean {
  return isBadId(messageId) || isBadKey(name) || isMalformed(username);
}

const isEmptyUpdate = (values: readonly unknown[]): boolean =>
  values.every((value) => value === undefined);

/** Whether a value is text with a lone surrogate, which no form can carry. */
const isMalformed = (value: unknown): boolean =>
  typeof value === 'string' && !value.isWellFormed();

const isBadKey = (name: unknown): boolean =>
  name === '' || isMalformed(name) || /[[\]]/.test(String(name));

const areBad = (attachments: unknown): boolean =>
  ((attachments as unknown[] | null | undefined) ?? []).some((one) => isBad(one, 0));

function isBad(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return isMalformed(value);
  if (levels === MAX_LEVELS) return true;
  return Object.entries(value).some(
    ([key, inner]) =>
      (!Array.isArray(value) && isBadKey(key)) || isBad(inner, levels + 1),
  );
}
