/**
 * A JSON value as the service receives it from a form: scalars become text, null and empty values the empty text, and an
 * object with the keys 0, 1, 2 ... a list. See docs/open-points.md.
 */
export function throughForm(value: unknown): unknown {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, throughForm(inner)] as const,
  );
  if (entries.length === 0) return '';
  const isList = entries.every(([key], index) => key === String(index));
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

export interface ReactionInput {
  readonly name: string;
  readonly usernames: readonly string[];
}

/** Usernames by reaction name, with repeated names merged. A form has no order, so names come in the order of object keys. */
export function byName(reactions: readonly ReactionInput[]): [string, string[]][] {
  const names = [...new Set(reactions.map(({ name }) => name))];
  const usernamesOf = (name: string) =>
    reactions.filter((each) => each.name === name).flatMap(({ usernames }) => usernames);
  return Object.entries(
    Object.fromEntries(names.map((name) => [name, usernamesOf(name)])),
  );
}
