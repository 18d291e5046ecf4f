import type { Answers } from './answers.ts';
import { type FormValue, toJson, toList } from './form.ts';
import { invalid } from './refusal.ts';
import type { Reaction } from './resources.ts';

/** Refuses a text above the limit. Open point: message and attachment limits. */
export function checkLength(
  message: string,
  { maxMessageLength, oversizeStatus }: Answers,
): void {
  if (maxMessageLength !== null && [...message].length > maxMessageLength) {
    throw invalid(
      'message',
      `takes ${maxMessageLength} characters at most`,
      oversizeStatus,
    );
  }
}

/** Reads `attachments[0][url]=…`; `attachments=` is none. Scalars stay text, a form knows no types. */
export function toAttachments(
  sent: FormValue,
  { maxAttachments, oversizeStatus }: Answers,
): unknown[] {
  const list = sent === '' ? [] : toList(sent);
  if (list === null) throw invalid('attachments', 'takes a list');
  if (maxAttachments !== null && list.length > maxAttachments) {
    throw invalid('attachments', `takes ${maxAttachments} at most`, oversizeStatus);
  }
  return list.map(toJson);
}

/**
 * Reactions after an update: `reactions[heart][]=ada` replaces who is under `heart`, or adds to
 * them, other names stay; `reactions[heart]=` empties that one, `reactions=` all of them.
 * Open points: reactions in an update; allowed reaction names.
 */
export function changeReactions(
  current: Reaction[],
  sent: FormValue,
  answers: Answers,
): Reaction[] {
  if (sent === '') return [];
  if (!(sent instanceof Map))
    throw invalid('reactions', 'takes reactions[name][]=username');

  const byName = new Map(current.flatMap((reaction) => Object.entries(reaction)));
  for (const [name, value] of sent as ReadonlyMap<string, FormValue>) {
    const usernames = toUsernames(name, value, answers);
    const kept = answers.reactions === 'add' ? (byName.get(name) ?? []) : [];
    if (usernames.length === 0) byName.delete(name);
    else byName.set(name, [...new Set([...kept, ...usernames])]);
  }
  // Object.fromEntries, unlike an object literal, takes a reaction called `__proto__`.
  return Array.from(byName, (entry) => Object.fromEntries([entry]));
}

function toUsernames(
  name: string,
  value: FormValue,
  { reactionNames }: Answers,
): readonly string[] {
  const field = `reactions[${name}]`;
  if (reactionNames !== null && !reactionNames.includes(name)) {
    throw invalid(field, `is none of the reactions ${reactionNames.join(', ')}`);
  }
  const usernames = value === '' ? [] : toList(value);
  if (!usernames?.every((username) => typeof username === 'string' && username !== '')) {
    throw invalid(field, 'takes a list of usernames');
  }
  return usernames as readonly string[];
}
