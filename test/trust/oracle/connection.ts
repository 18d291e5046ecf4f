import {
  type Arguments,
  BAD_INPUT,
  CursorOf,
  type Thing,
  type Trouble,
} from './values.ts';
import { itemsOf, type ListKey, type Place, type Wire, type World } from './world.ts';

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
  const open = isBackward ? items.length : 0;
  const { front, back } = place
    ? findPlace(world, items, place)
    : { front: open, back: open };
  const from = isBackward ? Math.max(0, front - size) : back;
  const to = isBackward ? front : Math.min(items.length, back + size);
  return toConnection(list, items.slice(from, to), {
    hasNextPage: to < items.length,
    hasPreviousPage: from > 0,
  });
}

/** How many items lie in front of a place, and where those behind it begin. One that has been deleted is between two. */
function findPlace({ past }: World, items: readonly Wire[], { id }: Place) {
  const at = items.findIndex((item) => item.id === id);
  if (at !== -1) return { front: at, back: at + 1 };
  const gone = past?.deleted.find((item) => item.id === id);
  if (past === undefined || gone === undefined) throw new Error(`${id} never was`);
  const front = items.filter((item) => past.order(item, gone) < 0).length;
  return { front, back: front };
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
