import {
  type FieldNode,
  type GraphQLError,
  locatedError,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import { withoutStack } from '../rest/errors.ts';

/** The errors of the fields of one operation. */
export class CollectedErrors {
  readonly list: GraphQLError[] = [];
  /** The paths of the values that errors have made null. */
  #nulled: Set<string> | null = null;

  /** Makes a value null and adds its error; where null is not allowed, throws the error with its place instead. */
  fail(
    { nodes }: { readonly nodes: readonly FieldNode[] },
    { isNonNull }: { readonly isNonNull: boolean },
    thrown: unknown,
    path: ResponsePath | undefined,
  ): null {
    // To record a stack takes longer than the rest of an error. The stack of a bug is in the error that was thrown.
    const error = withoutStack(() =>
      locatedError(thrown, [...nodes], responsePathAsArray(path)),
    );
    if (isNonNull) throw error;
    this.add(error, path);
    return null;
  }

  /** Adds an error that makes the value at `path` null; undefined is the whole answer. */
  add(error: GraphQLError, path: ResponsePath | undefined): void {
    if (this.#isNulled(path)) return;
    this.#nulled ??= new Set();
    this.#nulled.add(toKey(path));
    this.list.push(error);
  }

  /** Whether the answer no longer holds a value, because it, or one around it, is null. */
  #isNulled(path: ResponsePath | undefined): boolean {
    const nulled = this.#nulled;
    if (nulled === null) return false;
    for (let at = path; at !== undefined; at = at.prev) {
      if (nulled.has(toKey(at))) return true;
    }
    return nulled.has(toKey(undefined));
  }
}

/** Names hold no dot, and do not begin with a digit as indexes do. */
const toKey = (path: ResponsePath | undefined): string =>
  responsePathAsArray(path).join('.');
