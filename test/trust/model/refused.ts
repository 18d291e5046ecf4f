import { isBadId } from '../oracle/fields.ts';
import type { Arguments } from '../oracle/values.ts';

/** Levels of lists and objects that an attachment may have. */
const MAX_LEVELS = 64;

type Inputs = readonly Arguments[] | null | undefined;

/** Whether the gateway refuses a mutation without any call. Source: the contract, "Refused before any REST call", "Input fields". */
export const REFUSED: Readonly<Record<string, (input: Arguments) => boolean>> = {
  sendMessage: ({ conversationId, message, attachments }) =>
    isBadId(conversationId) || isHalf(message) || areBad(attachments),
  updateMessage: ({ id, message, reactions, attachments }) =>
    isBadId(id) ||
    isNothing([message, reactions, attachments]) ||
    message === null ||
    isHalf(message) ||
    ((reactions as Inputs) ?? []).some(
      ({ name, usernames }) => isBadKey(name) || (usernames as unknown[]).some(isHalf),
    ) ||
    areBad(attachments),
  deleteMessage: ({ id }) => isBadId(id),
  createConversation: ({ contactId, groupId }) => {
    const given = [contactId, groupId].filter((id) => id != null);
    return given.length === 0 || given.some(isBadId);
  },
  updateConversation: ({ id, pinnedMessageId, isPinned, isMuted, archivedAt }) =>
    isBadId(id) ||
    isNothing([pinnedMessageId, isPinned, isMuted, archivedAt]) ||
    isPinned === null ||
    isMuted === null ||
    (pinnedMessageId != null && isBadId(pinnedMessageId)),
  deleteConversation: ({ id }) => isBadId(id),
};

const isNothing = (values: readonly unknown[]): boolean =>
  values.every((value) => value === undefined);

/** Whether it is text that no form can carry. */
const isHalf = (value: unknown): boolean =>
  typeof value === 'string' && !value.isWellFormed();

const isBadKey = (name: unknown): boolean =>
  name === '' || isHalf(name) || /[[\]]/.test(String(name));

const areBad = (attachments: unknown): boolean =>
  ((attachments as unknown[] | null | undefined) ?? []).some((one) => isBad(one, 0));

function isBad(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return isHalf(value);
  if (levels === MAX_LEVELS) return true;
  return Object.entries(value).some(
    ([key, inner]) =>
      (!Array.isArray(value) && isBadKey(key)) || isBad(inner, levels + 1),
  );
}
