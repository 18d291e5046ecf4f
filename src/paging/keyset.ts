import type { Item, Page } from '../rest/list.ts';
import type { Cursor, Neighbour } from './cursor.ts';
import {
  type Anchor,
  askFrom,
  readNext,
  type Source,
  skipToPlace,
  toAnchors,
} from './next.ts';
import { countPassed } from './page-slice.ts';

/** A direction in which a list is read. Pages are in reading order: backward, that is the reverse of the service's order. */
export interface Direction {
  readonly param: string;
  /** The cursor's own id, then the ids it remembers on the side already read, nearest first. */
  readonly passed: readonly Neighbour[];
  /** The ids it remembers on the side to be read, nearest first. */
  readonly ahead: readonly Neighbour[];
  /** The ids there that the client has passed before. */
  readonly leftOut: readonly Neighbour[];
  /** Whether each page must repeat a known item, because the service answers unknown ids with its first page. */
  readonly requiresOverlap: boolean;
  /** Turns items into reading order, or back. */
  turn<T>(items: readonly Item<T>[]): readonly Item<T>[];
  /** Whether a page really continues from its anchor: the service may not know that id any more. */
  trusts<T>(page: Page<T>, anchor: Anchor): boolean;
}

type DirectionOptions = Pick<Direction, 'param' | 'requiresOverlap'>;

export function forward(options: DirectionOptions, cursor: Cursor): Direction {
  const { id, before, after, head, leftOut = [] } = cursor;
  const passed = [id, ...before];
  // A later page cannot hold the remembered head, so one that does is the first page.
  const isHead = <T>({ items }: Page<T>) => head !== id && holdsAny(items, [head]);
  return {
    ...options,
    passed,
    ahead: after,
    leftOut,
    turn: (items) => items,
    trusts: trustRules(passed, isHead),
  };
}

export function backward(options: DirectionOptions, cursor: Cursor): Direction {
  const { id, before, after, head, leftOut = [] } = cursor;
  const passed = [id, ...after];
  // A page may contain the remembered head without being the first page: items may have been added before it.
  const isHead = <T>({ items, hasMore }: Page<T>) =>
    hasMore && head !== null && items.at(-1)?.id === head;
  return {
    ...options,
    passed,
    ahead: before,
    leftOut,
    turn: (items) => items.toReversed(),
    trusts: trustRules(passed, isHead),
  };
}

const trustRules =
  (passed: readonly Neighbour[], isHead: <T>(page: Page<T>) => boolean) =>
  <T>(page: Page<T>, anchor: Anchor): boolean =>
    anchor.nearer.length === 0
      ? !isHead(page) && followsOwnItem(page, passed)
      : followsNeighbour(page, anchor);

/**
 * A page asked from the cursor's own item repeats nothing that was passed, and is not empty: an empty page may be the end
 * of the list or mean that the id is unknown, and only a neighbour can tell.
 */
const followsOwnItem = <T>({ items }: Page<T>, passed: readonly Neighbour[]): boolean =>
  items.length > 0 && !holdsAny(items, passed);

/**
 * A page that was asked for from a neighbour of the cursor's item must begin with an item that is known to lie between the
 * two. Otherwise the neighbour may have moved.
 */
function followsNeighbour<T>({ items }: Page<T>, { nearer }: Anchor): boolean {
  const first = items.find(({ id }) => id !== null);
  return nearer.some(({ id }) => id === first?.id);
}

/** The items beyond a cursor in reading order, and the ids known to lie before them, nearest first. */
interface PagePastCursor<T> extends Page<T> {
  readonly near: readonly Neighbour[];
  /** The remembered ids that no answer has shown to be there: they are further on, or deleted. */
  readonly missing: readonly Neighbour[];
  /** The ids that the client has passed. Items that have one of them are to be left out. */
  readonly passed: ReadonlySet<Neighbour>;
}

/** Reads at least `size` items beyond a cursor, or up to the end of the list; null if no page can be trusted. */
export async function readBeyond<T>(
  source: Source<T>,
  direction: Direction,
  size: number,
): Promise<PagePastCursor<T> | null> {
  const { param, requiresOverlap, trusts } = direction;
  const turned: Source<T> = {
    get ahead() {
      return source.ahead;
    },
    async ask(window) {
      const { items, hasMore } = await source.ask(window);
      return { items: direction.turn(items), hasMore };
    },
  };
  // The first anchor is the cursor's own item. The page after it repeats no known item, so it could not prove anything.
  const anchors = toAnchors(direction.passed).slice(requiresOverlap ? 1 : 0);
  const found = await askFrom(turned, anchors, { param, limit: size, trusts });
  return found && collect(turned, found, { direction, size });
}

/** Reads on until there are `size` items that were not passed; null if the list does not continue as remembered. */
async function collect<T>(
  source: Source<T>,
  { page, anchor }: { page: Page<T>; anchor: Anchor },
  { direction, size }: { direction: Direction; size: number },
): Promise<PagePastCursor<T> | null> {
  const way = new Set(direction.passed);
  const passed = new Set([...direction.passed, ...direction.leftOut]);
  // What lies between the anchor and the cursor is known to be there only if the page repeats it.
  const repeated = page.items.slice(0, indexOfNew(page.items, way));
  const near = direction.passed.filter(
    (id) => !anchor.nearer.some((one) => one.id === id) || holdsAny(repeated, [id]),
  );
  const missing = direction.passed.filter((id) => id !== null && !near.includes(id));
  let read: Page<T> = page;
  for (;;) {
    const items = skipPassed(read.items, way, anchor);
    const limit = size - (items.length - countPassed(items, passed));
    if (limit <= 0 || !read.hasMore) {
      if (!continues(items, direction.ahead)) return null;
      return { ...read, items, near, missing, passed };
    }
    const next = await readNext(source, read, { near, limit, param: direction.param });
    if (next === null) return null;
    read = next;
  }
}

/**
 * Skips the items between the anchor and the cursor at the start of a page. A passed item further on has moved, or items
 * were added before it: then only that item is left out.
 */
function skipPassed<T>(
  items: readonly Item<T>[],
  passed: ReadonlySet<Neighbour>,
  anchor: Anchor,
): readonly Item<T>[] {
  const leading = items.slice(0, indexOfNew(items, passed));
  return [...skipToPlace(leading, anchor), ...items.slice(leading.length)];
}

/** Where the first item that was not passed is; behind the last item if there is none. */
function indexOfNew<T>(
  items: readonly Item<T>[],
  passed: ReadonlySet<Neighbour>,
): number {
  const index = items.findIndex(({ id }) => id !== null && !passed.has(id));
  return index === -1 ? items.length : index;
}

const holdsAny = <T>(items: readonly Item<T>[], ids: readonly Neighbour[]): boolean =>
  items.some(({ id }) => id !== null && ids.includes(id));

/** Whether the item remembered as the next one comes next. If not, the list has changed here, or this is another part of it. */
const continues = <T>(items: readonly Item<T>[], ahead: readonly Neighbour[]): boolean =>
  ahead.length === 0 || (items.length > 0 && items[0]?.id === ahead[0]);
