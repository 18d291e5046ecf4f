import { isDeepStrictEqual } from 'node:util';
import type { Wire, World } from '../oracle/world.ts';

/** What a mutation has done to objects that were there before, `is_muted true`, `archived_at cleared`. */
export const effectsOf = (before: World, after: World): string[] => [
  ...changesIn(before.messages, after.messages),
  ...changesIn(before.conversations, after.conversations),
];

function changesIn(before: readonly Wire[], after: readonly Wire[]): string[] {
  const known = new Map(before.map((wire) => [wire.id, wire]));
  return after.flatMap((wire) => {
    const old = known.get(wire.id);
    if (old === undefined || old === wire) return [];
    return Object.entries(wire)
      .filter(([field, value]) => !isDeepStrictEqual(value, old[field]))
      .map(([field, value]) => `${field} ${toEffect(value)}`);
  });
}

function toEffect(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  return isEmpty ? 'cleared' : 'set';
}

/** What mutations must have done at least. */
export const EFFECTS: string[] = [
  'sendMessage: last_active_at set',
  'updateMessage: message set',
  'updateMessage: reactions set',
  'updateMessage: reactions cleared',
  'updateMessage: attachments set',
  'updateMessage: attachments cleared',
  'updateMessage: updated_at set',
  'deleteMessage: pinned_message_id cleared',
  'updateConversation: pinned_message_id set',
  'updateConversation: pinned_message_id cleared',
  'updateConversation: is_pinned true',
  'updateConversation: is_muted false',
  'updateConversation: archived_at set',
  'updateConversation: archived_at cleared',
];
