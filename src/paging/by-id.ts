import type { Item, Page } from '../rest/list.ts';
import type { Neighbour } from './cursor.ts';
import { PageOutOfReachError } from './errors.ts';
import {
  type Anchor,
  askFrom,
  type PageSource,
  readNext,
  skipToPlace,
  toAnchors,
} from './next.ts';
import { countPassed, hasEarlier, takeAfter, takeBefore } from './page-slice.ts';
import type { UnknownId } from './parameters.ts';
import type { CursorPage, PagingStrategy } from './strategy.ts';

interface ByIdOptions {
  /** The parameter for the page after an item; takes the item's id. */
  readonly param: string;
  /** The parameter for the page before an item; takes the item's id. Null: the service has none. */
  readonly backParam: string | null;
  /** How the service answers an unknown id: with a refusal or an empty page, or with its first page. */
  readonly unknownId: UnknownId;
  /** Whether a page repeats a known item wherever that costs no further call, so that it shows by itself where it is. */
  readonly repeats?: boolean;
}

/**
 * Asks for the page right after or before an item, by its id (keyset pagination): one call a page. The answer shows
 * whether the service still knew the id. If not, the cursor's neighbours are tried; if they fail too, the list is read
 * from its head. Open point: pagination parameter.
 */
export function byId(options: ByIdOptions): PagingStrategy {
  const { param, backParam, unknownId, repeats = false } = options;
  return {
    name: 'starting_after',
    isOneCall: false,
    overlap: 0,

    async extend(reader, { items }, wanted) {
      const limit = Math.min(wanted - items.length, reader.maxPageSize);
      const read = { items, hasMore: true };
      const next = await readNext(reader, read, { near: [], limit, param });
      if (next === null) throw nothingNew(param);
      return { ...next, start: 0 };
    },

    async readAtCursor(reader, page) {
      const { cursor, size, isForward } = page;
      const name = isForward ? param : backParam;
      if (name === null) return null;
      const requiresOverlap =
        unknownId === 'first' || (repeats && reader.allows(size + 1));
      const found = await readPastCursor(reader, page, name, requiresOverlap);
      if (found === null) return null;
      const { items, hasMore, near, missing, passed } = found;
      if (isForward) {
        const segment = { items, hasMore, start: cursor.position + 1 };
        return {
          ...takeAfter(segment, { index: 0, passed }, size),
          before: near,
          missing,
        };
      }
      const { length } = items;
      const start = Math.max(0, cursor.position - length);
      const segment = { items, hasMore: true, start };
      const slice = takeBefore(segment, { index: length, passed }, size);
      return {
        ...slice,
        hasPrevious: hasMore || hasEarlier(slice),
        after: near,
        missing,
      };
    },
  };
}

const nothingNew = (param: string) =>
  new PageOutOfReachError(
    `The service reports more items but returns no new ones for \`${param}\`. If the list changed while it was read, ask again; otherwise set PAGING or PAGING_PARAM to the way the service pages.`,
  );

/** What a cursor remembers, in reading order: backward, that is the reverse of the service's order. */
interface Way {
  /** The cursor's own id, then the ids it remembers on the side already read, nearest first. */
  readonly passed: readonly Neighbour[];
  /** The ids it remembers on the side to be read, nearest first. */
  readonly ahead: readonly Neighbour[];
  /** The ids there that the client has passed before. */
  readonly leftOut: readonly Neighbour[];
}

/**
 * Whether a page asked for from the cursor's own item can be trusted: it repeats no passed item, and is not empty. An empty
 * page may be the end of the list, or an unknown id; a neighbour can tell.
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

/** The items beyond a cursor, and the ids known to lie before them in reading order, nearest first. */
interface PagePastCursor<T> extends Page<T> {
  readonly near: readonly Neighbour[];
  /** The remembered ids that no answer has shown to be there: they are further on, or deleted. */
  readonly missing: readonly Neighbour[];
  /** The ids that the client has passed. Items that have one of them are to be left out. */
  readonly passed: ReadonlySet<Neighbour>;
}

/**
 * Reads at least `size` items beyond a cursor, or up to the end of the list; null if no page can be trusted.
 * `requiresOverlap`: each page must repeat a known item, because the service answers unknown ids with its first page.
 */
async function readPastCursor<T>(
  source: PageSource<T>,
  { cursor, size, isForward }: CursorPage,
  param: string,
  requiresOverlap: boolean,
): Promise<PagePastCursor<T> | null> {
  const { id, before, after, head, leftOut = [] } = cursor;
  const [read, ahead] = isForward ? [before, after] : [after, before];
  const passed = [id, ...read];
  const turn = (items: readonly Item<T>[]) => (isForward ? items : items.toReversed());
  // A page after the cursor cannot hold the remembered head. One before it may: items may have been added in front.
  const isHead = ({ items, hasMore }: Page<unknown>) =>
    isForward
      ? head !== id && holdsAny(items, [head])
      : hasMore && head !== null && items.at(-1)?.id === head;
  // The service may not know the id any more, and return the first page.
  const trusts = (page: Page<unknown>, anchor: Anchor) =>
    anchor.nearer.length === 0
      ? !isHead(page) && followsOwnItem(page, passed)
      : followsNeighbour(page, anchor);
  const turned: PageSource<T> = {
    get ahead() {
      return source.ahead;
    },
    async ask(window) {
      const { items, hasMore } = await source.ask(window);
      return { items: turn(items), hasMore };
    },
  };
  const wanted = size + source.ahead;
  // The first anchor is the cursor's own item. The page after it repeats no known item, so it could not prove anything.
  const anchors = toAnchors(passed).slice(requiresOverlap ? 1 : 0);
  const found = await askFrom(turned, anchors, { param, limit: wanted, trusts });
  const way = { passed, ahead, leftOut };
  const page = found && (await collect(turned, found, { way, param, size: wanted }));
  return page && { ...page, items: turn(page.items) };
}

/** Reads on until there are `size` items that were not passed; null if the list does not continue as remembered. */
async function collect<T>(
  source: PageSource<T>,
  { page, anchor }: { page: Page<T>; anchor: Anchor },
  { way, param, size }: { way: Way; param: string; size: number },
): Promise<PagePastCursor<T> | null> {
  const own = new Set(way.passed);
  const passed = new Set([...way.passed, ...way.leftOut]);
  // What lies between the anchor and the cursor is known to be there only if the page repeats it.
  const repeated = page.items.slice(0, indexOfNew(page.items, own));
  const near = way.passed.filter(
    (id) => !anchor.nearer.some((one) => one.id === id) || holdsAny(repeated, [id]),
  );
  const missing = way.passed.filter((id) => id !== null && !near.includes(id));
  let read: Page<T> = page;
  for (;;) {
    const items = skipPassed(read.items, own, anchor);
    const limit = size - (items.length - countPassed(items, passed));
    if (limit <= 0 || !read.hasMore) {
      if (!continues(items, way.ahead)) return null;
      return { ...read, items, near, missing, passed };
    }
    const next = await readNext(source, read, { near, limit, param });
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
