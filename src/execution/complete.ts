import {
  GraphQLError,
  type GraphQLInterfaceType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLUnionType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type ResponsePath,
} from 'graphql';
import { Pending, PendingContainer } from './pending.ts';
import type { Complete, PlannedField, Run, Slot } from './run.ts';
import { settle } from './settle.ts';
import { LEAST_BYTES, leftAfterRoughly, roughSizeOfText } from './size.ts';

const known = new WeakMap<GraphQLOutputType, Complete>();

/** How values of a type are completed. See "Value Completion" in the specification of GraphQL. */
export function completerOf(type: GraphQLOutputType): Complete {
  const complete = known.get(type) ?? createCompleter(type);
  known.set(type, complete);
  return complete;
}

function createCompleter(type: GraphQLOutputType): Complete {
  if (isNonNullType(type)) return nonNull(completerOf(type.ofType));
  if (isListType(type)) return list(type.ofType);
  if (isLeafType(type)) return leaf(type);
  return isObjectType(type) ? object(type) : abstract(type);
}

const nonNull =
  (complete: Complete): Complete =>
  (run, field, value, path) => {
    const completed = complete(run, field, value, path);
    if (completed !== null) return completed;
    const { parentType, definition } = field;
    throw new Error(
      `Cannot return null for non-nullable field ${parentType.name}.${definition.name}.`,
    );
  };

const leaf =
  (type: GraphQLLeafType): Complete =>
  (run, _field, value) => {
    if (value == null) return null;
    if (value instanceof Error) throw value;
    const serialized: unknown = type.serialize(value);
    if (serialized == null) {
      throw new Error(`A value of the type "${type.name}" cannot be written.`);
    }
    if (typeof serialized === 'string') run.size += roughSizeOfText(serialized);
    else run.size = run.maxBytes - leftAfterRoughly(serialized, run.maxBytes - run.size);
    return serialized;
  };

const object =
  (type: GraphQLObjectType): Complete =>
  (run, field, value, path) => {
    if (value == null) return null;
    if (value instanceof Error) throw value;
    return run.executeObject(field.objectOf(type), value, path as ResponsePath);
  };

const abstract =
  (type: GraphQLInterfaceType | GraphQLUnionType): Complete =>
  (run, field, value, path) => {
    if (value == null) return null;
    if (value instanceof Error) throw value;
    const name: unknown = (value as { readonly __typename?: unknown }).__typename;
    const found = typeof name === 'string' ? run.schema.getType(name) : undefined;
    if (!isObjectType(found) || !run.schema.isSubType(type, found)) {
      throw new Error(`A value of "${type.name}" names the type "${String(name)}".`);
    }
    return run.executeObject(field.objectOf(found), value, path as ResponsePath);
  };

function list(type: GraphQLOutputType): Complete {
  const items: Slot = {
    complete: completerOf(type),
    isNonNull: isNonNullType(type),
    needsPath: !isLeafType(getNullableType(type)),
  };
  return (run, field, values, path) => {
    if (values == null) return null;
    if (values instanceof Error) throw values;
    if (!Array.isArray(values)) throw notIterable(field);
    run.size += LEAST_BYTES;
    const completed: unknown[] = [];
    // A promise that fails while nobody waits for it would end the process. Each waits for a turn by itself.
    const mayWait = !values.some((value) => value instanceof Promise);
    const list = { field, items, values, path, completed, mayWait };
    return completeItems(run, list) ?? completed;
  };
}

interface ItemsOfList {
  readonly field: PlannedField;
  /** The place of each item. */
  readonly items: Slot;
  readonly values: readonly unknown[];
  readonly path: ResponsePath | undefined;
  /** Its length says where to go on. */
  readonly completed: unknown[];
  readonly mayWait: boolean;
}

/** Asking for a turn takes as long as completing a short item. */
const ITEMS_AT_ONCE = 10;

/** Completes the missing items of a list; when others have a turn, continues after it. */
function completeItems(
  run: Run,
  list: ItemsOfList,
  begun: PendingContainer | null = null,
): PendingContainer | null {
  const { field, items, values, path, completed, mayWait } = list;
  // After each turn, one item at least is completed.
  const inTurn = begun === null ? null : completed.length;
  let container = begun;
  try {
    for (let index = completed.length; index < values.length; index += 1) {
      const asks = mayWait && index % ITEMS_AT_ONCE === 0 && index !== inTurn;
      const turn = asks ? run.turn() : undefined;
      if (turn !== undefined) {
        const rest = container ?? new PendingContainer(run, completed);
        return rest.goOn(turn, () => completeItems(run, list, rest));
      }
      const item = settle(run, field, items, values[index], path, index);
      if (item instanceof Pending) {
        container ??= new PendingContainer(run, completed);
        container.add(index, item);
      } else completed.push(item);
    }
  } catch (error) {
    if (container !== null) return container.failLast(error);
    throw error;
  }
  return container;
}

const notIterable = ({ parentType, definition }: PlannedField) =>
  new GraphQLError(
    `Expected Iterable, but did not find one for field "${parentType.name}.${definition.name}".`,
  );
