import {
  type Arguments,
  BAD_INPUT,
  CursorOf,
  type Thing,
  type Trouble,
} from './oracle-values.ts';
import { itemsOf, type ListKey, type Wire, type World } from './world.ts';

const MAX_PAGE_SIZE = 100;

/** Source: the contract, "Lists" and "Refused before any REST call". */
export function connection(
  world: World,
  list: ListKey,
  { first, after, last, before }: Arguments,
): Thing | Trouble | null {
  const isForward = first != null || after != null;
  const isBackward = last != null || before != null;
  const size = Number((isBackward ? last : first) ?? 10);
  const cursor = (isBackward ? before : after) ?? null;
  const place = cursor === null ? null : world.places.get(String(cursor));
  if (isForward && isBackward) return BAD_INPUT;
  if (size < 1 || size > MAX_PAGE_SIZE) return BAD_INPUT;
  if (place === undefined || (place !== null && place.list !== list)) return BAD_INPUT;

  const items = itemsOf(world, list);
  if (items === null) return null;
  const at = place === null ? -1 : items.findIndex(({ id }) => id === place.id);
  const end = isBackward && at === -1 ? items.length : at;
  const from = isBackward ? Math.max(0, end - size) : at + 1;
  const to = isBackward ? end : Math.min(items.length, from + size);
  return toConnection(list, items.slice(from, to), {
    hasNextPage: isBackward ? place !== null : to < items.length,
    hasPreviousPage: isBackward ? from > 0 : place !== null,
  });
}

function toConnection(
  list: ListKey,
  items: readonly Wire[],
  flags: { hasNextPage: boolean; hasPreviousPage: boolean },
): Thing {
  const type = list.startsWith('["messages"') ? 'Message' : 'Conversation';
  const cursorOf = (item: Wire | undefined) =>
    item === undefined ? null : new CursorOf(list, item.id);
  const nodes = items.map((wire) => ({ type, wire }));
  const pageInfo = {
    ...flags,
    startCursor: cursorOf(items[0]),
    endCursor: cursorOf(items.at(-1)),
  };
  const edges = nodes.map((each) => ({
    type: `${type}Edge`,
    wire: { node: each, cursor: cursorOf(each.wire) },
  }));
  return {
    type: `${type}Connection`,
    wire: { edges, nodes, pageInfo: { type: 'PageInfo', wire: pageInfo } },
  };
}
