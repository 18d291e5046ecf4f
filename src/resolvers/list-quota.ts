import type { GraphQLResolveInfo } from 'graphql';
import { countFields, memoizedByNodes } from '../document/selection.ts';
import { type Extensions, OperationalError } from '../rest/errors.ts';
import { BYTES_PER_VALUE } from '../rest/json-weight.ts';

/** Each priced object or value has a name in the answer, which counts as a value too. */
const VALUES_PER_PRICED = 2;

/**
 * Bounds what lists inside objects (reactions, attachments) add to an answer: the service sets their length, and a query
 * may alias one a thousand times.
 */
export class ListQuota {
  readonly #maxBytes: number;
  #taken = 0;
  /** Thrown again and again: an answer may refuse a thousand lists for each of its items. */
  #refusal: ListTooLongError | null = null;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Reserves room for the objects and values that the operation was priced at. */
  reservePriced(objects: number): void {
    this.#taken = VALUES_PER_PRICED * objects;
  }

  /** The same list; throws if the answer has no room for it. */
  reserve<T>(items: readonly T[], info: GraphQLResolveInfo): T[] {
    const values = items.length * valuesOfItem(info);
    const all = Math.floor(this.#maxBytes / BYTES_PER_VALUE);
    if (this.#taken + values > all) {
      const isWrite = info.operation.operation === 'mutation';
      this.#refusal ??= new ListTooLongError(this.#maxBytes, isWrite);
      throw this.#refusal;
    }
    this.#taken += values;
    // The generated types do not know lists that may not be changed.
    return items as T[];
  }
}

class ListTooLongError extends OperationalError {
  override readonly code = 'OPERATION_TOO_COSTLY';
  readonly #isWrite: boolean;

  /** `isWrite`: the list is in the payload of a write, which was made. */
  constructor(limit: number, isWrite: boolean) {
    super(
      `This list does not fit into the answer, which may have ${limit} bytes: ask for fewer items, or in several operations.`,
    );
    this.#isWrite = isWrite;
  }

  override toExtensions(): Extensions {
    return { code: this.code, ...(this.#isWrite && { outcome: 'unknown' }) };
  }
}

/** An object without fields takes the memory of this many values. */
const VALUES_PER_OBJECT = 3;

const valuesOfItem = memoizedByNodes((selectionSets, info) => {
  const fields = countFields(selectionSets, info);
  // A field adds two values to its object: its name, and its value.
  return fields === 0 ? 1 : VALUES_PER_OBJECT + 2 * fields;
});
