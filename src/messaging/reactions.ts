import { texts, type WireObject } from '../rest/decode.ts';
import { checkKey, encodeForm, newRoom } from '../rest/form.ts';

/** A reaction name and the users who reacted with it, each once. Source: Reaction. */
export interface Reaction {
  readonly name: string;
  readonly usernames: readonly string[];
}

/** Most messages have none. */
const NONE: readonly Reaction[] = [];

/** On the wire, reactions are a list of objects that map names to usernames. A name in two objects is one reaction. */
export function toReactions(sent: readonly WireObject[]): readonly Reaction[] {
  if (sent.length === 0) return NONE;
  // A set or a copy for each name would take most of the memory of a message with many names.
  const byName = new Map<string, readonly string[]>();
  const merged = new Map<string, string[]>();
  for (const object of sent) {
    for (const name in object) {
      const usernames = texts(object[name], 'reactions[].*');
      const known = byName.get(name);
      if (known === undefined) {
        byName.set(name, usernames);
        continue;
      }
      const all = merged.get(name) ?? [...known];
      merged.set(name, all);
      for (const username of usernames) all.push(username);
    }
  }
  return Array.from(byName, ([name, usernames]) => ({
    name,
    usernames: withoutRepeats(merged.get(name) ?? usernames),
  }));
}

function withoutRepeats(names: readonly string[]): readonly string[] {
  if (names.length < 2) return names;
  const distinct = new Set(names);
  return distinct.size === names.length ? names : [...distinct];
}

/**
 * Writes reactions as `reactions[<name>][]=<username>`, the only bracket form that the interface shows.
 * Source: Reaction.
 */
export function encodeReactions(
  reactions: readonly Reaction[] | null | undefined,
  room = newRoom(),
): string {
  if (!reactions) return encodeForm({ reactions }, { room });
  const byName = new Map<string, string[]>();
  for (const { name, usernames } of reactions) {
    checkReactionName(name);
    const known = byName.get(name) ?? [];
    byName.set(name, known);
    for (const username of usernames) known.push(username);
  }
  // Object.fromEntries keeps a name such as "__proto__".
  return encodeForm(
    { reactions: Object.fromEntries(byName) },
    { room, toIndex: () => '' },
  );
}

/** Throws BadInputError for a name that a form cannot carry. */
export const checkReactionName = (name: string): string =>
  checkKey(name, 'A reaction name');

/** The last answer of `includesUsername`, because a query may ask a thousand times for one of a million usernames. */
const lookedUp = new WeakMap<
  readonly string[],
  { readonly username: string; readonly isThere: boolean }
>();

export function includesUsername(
  usernames: readonly string[],
  username: string,
): boolean {
  const known = lookedUp.get(usernames);
  if (known?.username === username) return known.isThere;
  const isThere = usernames.includes(username);
  lookedUp.set(usernames, { username, isThere });
  return isThere;
}
