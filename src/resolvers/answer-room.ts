import {
  GraphQLError,
  type GraphQLResolveInfo,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { BYTES_PER_VALUE } from '../rest/bytes.ts';
import { turn } from '../rest/event-loop.ts';

/**
 * What an answer still has room for. The lists inside an object are as long as the service makes them, and may be
 * selected a thousand times, so what they add to the answer is counted before graphql completes them.
 */
export interface AnswerRoom {
  /** The same list, perhaps in a later turn of the event loop; throws if the answer has no room for it. */
  take<T>(items: readonly T[], info: GraphQLResolveInfo): T[] | Promise<T[]>;
}

/** How much of such lists may be completed without a pause. Unit: values. */
const VALUES_PER_TURN = 20_000;

/** The room of an answer that may have this many bytes. */
export function createAnswerRoom(maxAnswerBytes: number): AnswerRoom {
  let left = Math.floor(maxAnswerBytes / BYTES_PER_VALUE);
  let inTurn = 0;
  let waiting: Promise<void> | null = null;
  return {
    take<T>(items: readonly T[], info: GraphQLResolveInfo) {
      // The generated types do not know lists that may not be changed.
      const list = items as T[];
      const values = items.length * valuesOfItem(info);
      left -= values;
      if (left < 0) throw tooLong(info, maxAnswerBytes);
      inTurn += values;
      if (inTurn > VALUES_PER_TURN) {
        inTurn = values;
        waiting = turn();
      }
      return waiting === null ? list : waiting.then(() => list);
    },
  };
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

const tooLong = ({ operation }: GraphQLResolveInfo, limit: number) =>
  new GraphQLError(
    `This list does not fit into the answer, which may have ${limit} bytes: ask for fewer items, or in several operations.`,
    {
      extensions: {
        code: 'OPERATION_TOO_COSTLY',
        ...(operation.operation === 'mutation' && { outcome: 'unknown' }),
      },
    },
  );
