/**
 * What arrives of a JSON value that travels as a form: scalars as text, null and what is empty as the empty text, and
 * an object whose keys are 0, 1, 2 ... as a list. Source: the contract, "Input fields"; docs/open-points.md.
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

/** Usernames by reaction name, a name that is given twice once. In the order of an object's keys: a form promises none. */
export function byName(reactions: readonly ReactionInput[]): [string, string[]][] {
  const names = [...new Set(reactions.map(({ name }) => name))];
  const usernamesOf = (name: string) =>
    reactions.filter((each) => each.name === name).flatMap(({ usernames }) => usernames);
  return Object.entries(
    Object.fromEntries(names.map((name) => [name, usernamesOf(name)])),
  );
}
