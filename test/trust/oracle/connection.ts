import { LISTED } from './lists.ts';
import {
  type Arguments,
  anyCursor,
  BAD_INPUT,
  type Item,
  itemsOf,
  type ListKey,
  type OracleObject,
  type Position,
  readKey,
  type World,
} from './world.ts';

const MAX_PAGE_SIZE = 100;

/** Where the service has the newest items of its lists. */
export type NewestEnd = 'head' | 'tail';

/** One page of a list; null if its conversation does not exist. */
export function connection(
  { world, newestEnd }: { readonly world: World; readonly newestEnd: NewestEnd },
  list: ListKey,
  { first, after, last, before, order }: Arguments,
): OracleObject | Error | null {
  const isForward = first != null || after != null;
  const isBackward = last != null || before != null;
  const size = Number((isBackward ? last : first) ?? 10);
  const cursor = (isBackward ? before : after) ?? null;
  const position = cursor === null ? null : world.cursors.get(String(cursor));
  if (isForward && isBackward) return BAD_INPUT;
  if (size < 1 || size > MAX_PAGE_SIZE) return BAD_INPUT;
  if (position === undefined) return BAD_INPUT;
  if (position !== null && position.list !== list) return BAD_INPUT;

  const listed = itemsOf(world, list);
  if (listed === null) return null;
  const isReversed = order === 'NEWEST_FIRST' && newestEnd === 'tail';
  const items = isReversed ? listed.toReversed() : listed;
  const openEnd = isBackward ? items.length : 0;
  const { before: end, after: start } = position
    ? indexesAround(world, items, position, isReversed)
    : { before: openEnd, after: openEnd };
  const from = isBackward ? Math.max(0, end - size) : start;
  const to = isBackward ? end : Math.min(items.length, start + size);
  return toConnection(list, items.slice(from, to), {
    hasNextPage: to < items.length,
    hasPreviousPage: from > 0,
  });
}

/** How many items come before a cursor, and the index of the first one after it. A deleted item lies between two others. */
function indexesAround(
  { past }: World,
  items: readonly Item[],
  { id }: Position,
  isReversed: boolean,
) {
  const index = items.findIndex((item) => item.id === id);
  if (index !== -1) return { before: index, after: index + 1 };
  const deleted = past?.deleted.find((item) => item.id === id);
  if (past === undefined || deleted === undefined) throw new Error(`no item ${id}`);
  const sign = isReversed ? -1 : 1;
  const before = items.filter((item) => sign * past.order(item, deleted) < 0).length;
  return { before, after: before };
}

function toConnection(
  list: ListKey,
  items: readonly Item[],
  flags: { hasNextPage: boolean; hasPreviousPage: boolean },
): OracleObject {
  const [kind] = readKey(list);
  const { type } = LISTED[kind];
  const cursorOf = (item: Item | undefined) =>
    item === undefined ? null : anyCursor({ list, id: item.id });
  const nodes = items.map((wire) => ({ type, wire }));
  const pageInfo = {
    ...flags,
    startCursor: cursorOf(items[0]),
    endCursor: cursorOf(items.at(-1)),
  };
  const edges = nodes.map((node) => ({
    type: `${type}Edge`,
    wire: { node, cursor: cursorOf(node.wire) },
  }));
  return {
    type: `${type}Connection`,
    wire: { edges, nodes, pageInfo: { type: 'PageInfo', wire: pageInfo } },
  };
}
