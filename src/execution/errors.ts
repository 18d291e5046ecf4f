import {
  type FieldNode,
  type GraphQLError,
  locatedError,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import { withoutStack } from '../rest/errors.ts';

/** The errors of the fields of one operation. */
export interface CollectedErrors {
  readonly list: readonly GraphQLError[];
  /** The error of a field that failed, with its place in document and answer. */
  locate(
    thrown: unknown,
    nodes: readonly FieldNode[],
    path: ResponsePath | undefined,
  ): GraphQLError;
  /** Adds an error that makes the value at `path` null; undefined is the whole answer. */
  add(error: GraphQLError, path: ResponsePath | undefined): void;
}

export function createCollectedErrors(): CollectedErrors {
  const list: GraphQLError[] = [];
  /** The paths of the values that errors have made null. */
  const nulled = new Set<string>();

  /** Whether the answer no longer holds a value, because it, or one around it, is null. */
  function isNulled(path: ResponsePath | undefined): boolean {
    for (let at = path; at !== undefined; at = at.prev) {
      if (nulled.has(toKey(at))) return true;
    }
    return nulled.has(toKey(undefined));
  }

  return {
    list,
    locate: (thrown, nodes, path) =>
      // To record a stack takes longer than the rest of an error. The stack of a bug is in the error that was thrown.
      withoutStack(() => locatedError(thrown, [...nodes], responsePathAsArray(path))),
    add(error, path) {
      if (isNulled(path)) return;
      nulled.add(toKey(path));
      list.push(error);
    },
  };
}

/** Names hold no dot, and do not begin with a digit as indexes do. */
const toKey = (path: ResponsePath | undefined): string =>
  responsePathAsArray(path).join('.');
