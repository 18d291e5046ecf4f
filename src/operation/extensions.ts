import type { GraphQLRequest } from '@apollo/server';

/** What an operation may ask to be told of itself, in `extensions` of its answer. */
export type Extension = 'cost' | 'rest';

/** For tools that send no `extensions`, Apollo Sandbox among them: the names, comma-separated. */
const HEADER = 'x-extensions';

/** Whether it is asked for: by `extensions: { cost: true }` beside `query`, or by a header. */
export function requestsExtension(
  extension: Extension,
  { extensions, http }: GraphQLRequest,
): boolean {
  if (extensions?.[extension] === true) return true;
  const names = http?.headers.get(HEADER)?.split(',') ?? [];
  return names.some((name) => name.trim() === extension);
}
