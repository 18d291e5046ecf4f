import {
  GraphQLError,
  type GraphQLResolveInfo,
  Kind,
  responsePathAsArray,
  type SelectionSetNode,
} from 'graphql';
import { turnForLongWork } from '../rest/event-loop.ts';
import { BYTES_PER_VALUE } from '../rest/json-weight.ts';
import { MAX_FIELD_ERRORS } from './field-errors.ts';

/** How much of such lists may be completed without a pause. Unit: values. */
const VALUES_PER_TURN = 20_000;
/** Each priced object or value has a name in the answer, which counts as a value too. */
const VALUES_PER_PRICED = 2;
/** A shorter list does not wait: there may be a hundred thousand, and each promise takes memory. Unit: values. */
const SHORT = 100;

/**
 * What an answer still has room for. The lists inside an object are as long as the service makes them, and may be
 * selected a thousand times, so what they add to the answer is counted before they are completed.
 */
export class AnswerRoom {
  readonly #maxBytes: number;
  /** What the operation was priced at. */
  readonly #priced: { readonly objects: number };
  #taken = 0;
  #refused = 0;
  #last: GraphQLError | null = null;
  #inTurn = 0;
  #waiting: Promise<void> | null = null;

  /** The answer may have `maxBytes`; the objects that its operation was priced at are a part of them. */
  constructor(maxBytes: number, priced: { readonly objects: number }) {
    this.#maxBytes = maxBytes;
    this.#priced = priced;
  }

  /** The same list, perhaps in a later turn of the event loop; throws if the answer has no room for it. */
  take<T>(items: readonly T[], info: GraphQLResolveInfo): T[] | Promise<T[]> {
    // The generated types do not know lists that may not be changed.
    const list = items as T[];
    const values = items.length * valuesOfItem(info);
    const all = Math.floor(this.#maxBytes / BYTES_PER_VALUE);
    if (this.#taken + values + VALUES_PER_PRICED * this.#priced.objects > all) {
      this.#refused += 1;
      // graphql takes an error with a path as it is, so the errors that the answer does not list take no memory.
      if (this.#refused <= MAX_FIELD_ERRORS) this.#last = tooLong(info, this.#maxBytes);
      throw this.#last;
    }
    this.#taken += values;
    this.#inTurn += values;
    if (values <= SHORT) return list;
    if (this.#inTurn > VALUES_PER_TURN) this.#wait(values);
    return this.#waiting === null ? list : this.#waiting.then(() => list);
  }

  /** This turn has completed enough: the list, with its values, and those after it wait for another one. */
  #wait(values: number): void {
    this.#inTurn = values;
    const next = turnForLongWork().then(() => {
      if (this.#waiting === next) this.#waiting = null;
    });
    this.#waiting = next;
  }
}

/** An object without fields takes the memory of this many values. */
const VALUES_PER_OBJECT = 3;

function valuesOfItem({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  let fields = 0;
  for (const { selectionSet } of fieldNodes) {
    if (selectionSet !== undefined) fields += countFields(selectionSet, fragments);
  }
  // A field adds two values to its object: its name, and its value.
  return fields === 0 ? 1 : VALUES_PER_OBJECT + 2 * fields;
}

type Fragments = GraphQLResolveInfo['fragments'];

/** Each selection set is counted once, because its field may be resolved thousands of times. */
const counted = new WeakMap<SelectionSetNode, number>();

/** How many fields are selected, those of fragments included. */
function countFields(set: SelectionSetNode, fragments: Fragments): number {
  const known = counted.get(set);
  if (known !== undefined) return known;
  const count = set.selections
    .map((selection) => {
      if (selection.kind === Kind.FIELD) return 1;
      const inner =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection
          : fragments[selection.name.value];
      return inner === undefined ? 0 : countFields(inner.selectionSet, fragments);
    })
    .reduce((sum, one) => sum + one, 0);
  counted.set(set, count);
  return count;
}

const tooLong = ({ operation, path, fieldNodes }: GraphQLResolveInfo, limit: number) =>
  new GraphQLError(
    `This list does not fit into the answer, which may have ${limit} bytes: ask for fewer items, or in several operations.`,
    {
      nodes: fieldNodes,
      path: responsePathAsArray(path),
      extensions: {
        code: 'OPERATION_TOO_COSTLY',
        ...(operation.operation === 'mutation' && { outcome: 'unknown' }),
      },
    },
  );
