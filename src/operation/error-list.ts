import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { MAX_FIELD_ERRORS } from '../execution/errors.ts';
import { toClientError } from './errors.ts';

/** Messages of GraphQL quote what clients sent, up to a megabyte. Unit: characters. */
const MAX_MESSAGE = 1000;
/** Of a message, at most this is searched for the token: enough for a token that begins in the part that is shown. */
const MAX_SEARCHED = 65_536;
/** Of all messages and paths of an answer together. Unit: characters. */
const MAX_LISTED = 1_048_576;

/**
 * The errors as clients see them, without the token. If there are too many, or they are too long together, one more error
 * at the end says how many were left out. `omitted`: fields that are null without an error, because there were enough.
 * `redact` removes the token.
 */
export function listErrors(
  errors: readonly GraphQLError[],
  omitted: number,
  redact: (text: string) => string,
): GraphQLFormattedError[] {
  const listed: GraphQLFormattedError[] = [];
  let characters = 0;
  for (const error of errors) {
    if (listed.length === MAX_FIELD_ERRORS || characters > MAX_LISTED) break;
    const { message, ...rest } = toClientError(error);
    const shown = { message: shorten(message, redact), ...rest };
    listed.push(shown);
    characters += shown.message.length + countCharacters(shown.path);
  }
  const left = errors.length - listed.length + omitted;
  if (left > 0) listed.push(leftOut(left, listed.at(-1)));
  return listed;
}

function shorten(message: string, redact: (text: string) => string): string {
  const clean = redact(message.slice(0, MAX_SEARCHED));
  return clean.length > MAX_MESSAGE ? `${clean.slice(0, MAX_MESSAGE)}\u2026` : clean;
}

const countCharacters = (path: GraphQLFormattedError['path'] = []): number =>
  path.reduce((sum: number, key) => sum + String(key).length, 0);

/** It has the path of the last error that is listed, because every error of a field has a path. */
const leftOut = (
  count: number,
  last: GraphQLFormattedError | undefined,
): GraphQLFormattedError => ({
  message: `${count} more errors are left out: this answer has too many to list.`,
  ...(last?.path && { path: last.path }),
  extensions: { code: 'TOO_MANY_ERRORS', omitted: count },
});
