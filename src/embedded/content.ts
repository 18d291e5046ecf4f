import type { Answers } from './answers.ts';
import { invalidField } from './errors.ts';
import { type FormValue, toJson, toList } from './form.ts';
import type { Reaction } from './resources.ts';

/** Refuses a text above the limit. Open point: message and attachment limits. */
export function checkLength(
  message: string,
  { maxMessageLength, oversizeStatus }: Answers,
): void {
  // Spreading counts code points; `length` would count an emoji twice.
  if (maxMessageLength !== null && [...message].length > maxMessageLength) {
    const problem = `takes ${maxMessageLength} characters at most`;
    throw invalidField('message', problem, oversizeStatus);
  }
}

/** Reads `attachments[0][url]=…`; `attachments=` is empty. Scalars stay text: a form has no types. */
export function toAttachments(
  sent: FormValue,
  { maxAttachments, oversizeStatus }: Answers,
): unknown[] {
  const list = sent === '' ? [] : toList(sent);
  if (list === null) throw invalidField('attachments', 'takes a list');
  if (maxAttachments !== null && list.length > maxAttachments) {
    throw invalidField('attachments', `takes ${maxAttachments} at most`, oversizeStatus);
  }
  return list.map(toJson);
}

/**
 * Applies an update to the reactions: `reactions[heart][]=ada` replaces the usernames of `heart` or
 * adds to them, `reactions[heart]=` removes `heart`, `reactions=` removes all.
 * Open point: reactions in an update. Open point: allowed reaction names.
 */
export function changeReactions(
  current: Reaction[],
  sent: FormValue,
  answers: Answers,
): Reaction[] {
  if (sent === '') return [];
  if (!(sent instanceof Map)) {
    throw invalidField('reactions', 'takes reactions[name][]=username');
  }
  const byName = new Map(current.flatMap((reaction) => Object.entries(reaction)));
  for (const [name, value] of sent as ReadonlyMap<string, FormValue>) {
    const usernames = toUsernames(name, value, answers);
    const kept = answers.reactions === 'add' ? (byName.get(name) ?? []) : [];
    if (usernames.length === 0) byName.delete(name);
    else byName.set(name, [...new Set([...kept, ...usernames])]);
  }
  // An object literal would lose a reaction called `__proto__`.
  return Array.from(byName, (entry) => Object.fromEntries([entry]));
}

function toUsernames(
  name: string,
  value: FormValue,
  { reactionNames }: Answers,
): readonly string[] {
  const field = `reactions[${name}]`;
  if (reactionNames !== null && !reactionNames.includes(name)) {
    throw invalidField(field, `is not one of the reactions ${reactionNames.join(', ')}`);
  }
  const usernames = value === '' ? [] : toList(value);
  if (!usernames?.every((username) => typeof username === 'string' && username !== '')) {
    throw invalidField(field, 'takes a list of usernames');
  }
  return usernames as readonly string[];
}
