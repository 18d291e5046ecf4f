import {
  type FieldNode,
  type GraphQLError,
  locatedError,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import { withoutStack } from '../rest/errors.ts';

/**
 * A field that has failed. What clients are told is made of it when its operation ends, because it takes two kilobytes, and
 * thousands of operations may wait for their next call.
 */
class FailedField {
  readonly #thrown: unknown;
  readonly #nodes: readonly FieldNode[];
  readonly #path: ResponsePath | undefined;

  constructor(
    thrown: unknown,
    nodes: readonly FieldNode[],
    path: ResponsePath | undefined,
  ) {
    this.#thrown = thrown;
    this.#nodes = nodes;
    this.#path = path;
  }

  toError(): GraphQLError {
    // To record a stack takes longer than the rest of an error. The stack of a bug is in the error that was thrown.
    return withoutStack(() =>
      locatedError(this.#thrown, [...this.#nodes], responsePathAsArray(this.#path)),
    );
  }
}

/** An answer lists at most this many errors of fields. People read a few of them, and each takes time and bytes. */
export const MAX_FIELD_ERRORS = 1000;

/** The errors of the fields of one operation. */
export class CollectedErrors {
  readonly #all: unknown[] = [];
  #omitted = 0;
  /** The paths of the values that errors have made null. */
  #nulled: Set<string> | null = null;

  /** How many came when there were enough: their values are null without an error. */
  get omitted(): number {
    return this.#omitted;
  }

  toList(): GraphQLError[] {
    return this.#all.map((error) =>
      error instanceof FailedField ? error.toError() : (error as GraphQLError),
    );
  }

  /** Makes a value null and adds its error; where null is not allowed, throws the error with its place instead. */
  fail(
    { nodes }: { readonly nodes: readonly FieldNode[] },
    { isNonNull }: { readonly isNonNull: boolean },
    thrown: unknown,
    path: ResponsePath | undefined,
  ): null {
    if (!isNonNull && this.#all.length >= MAX_FIELD_ERRORS) {
      this.#omitted += 1;
      return null;
    }
    const failed =
      thrown instanceof FailedField ? thrown : new FailedField(thrown, nodes, path);
    if (isNonNull) throw failed;
    this.add(failed, path);
    return null;
  }

  /** Adds an error that makes the value at `path` null; undefined is the whole answer. */
  add(error: unknown, path: ResponsePath | undefined): void {
    if (this.#isNulled(path)) return;
    this.#nulled ??= new Set();
    this.#nulled.add(toKey(path));
    this.#all.push(error);
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
