import type { Query } from '../rest/client.ts';
import { RestStatusError } from '../rest/errors.ts';
import type { Item, Page } from '../rest/page.ts';
import type { Neighbour } from './cursor.ts';
import { PageOutOfReachError } from './errors.ts';
import type { Reader } from './strategy.ts';

type Ask<T> = Reader<T>['ask'];

/** One direction through a list. "Near" is where it comes from, "far" where it goes. */
export interface Way {
  readonly param: string;
  readonly own: Neighbour;
  readonly near: readonly Neighbour[];
  readonly far: readonly Neighbour[];
  /** Puts the items of a page into the order in which they are passed, or back. */
  turn<T>(items: readonly Item<T>[]): readonly Item<T>[];
  /** Whether an answer counts only if it holds a known item, because the service begins anew for an unknown id. */
  readonly needsVoucher: boolean;
  /** Whether a page gives itself away as the head of the list, served because the id was not known. */
  isHead<T>(page: Page<T>): boolean;
}

/** An item to ask beside, and how many items without an id follow it before the place that is meant. */
interface Anchor {
  readonly id: string;
  readonly nameless: number;
}

/** Items in the order in which they are passed. */
export interface Passed<T> {
  readonly items: readonly Item<T>[];
  readonly hasMore: boolean;
  /** What is known to lie behind us, the nearest first. */
  readonly near: readonly Neighbour[];
}

/** Open point: pagination parameter. What a service may answer to the id of a deleted item. */
const UNKNOWN_ANCHOR_STATUSES: readonly number[] = [400, 404, 410, 422];

/** At least `size` items beyond the cursor's own, unless the list ends; null if no answer can be trusted. */
export async function seek<T>(
  { ask }: Reader<T>,
  way: Way,
  size: number,
): Promise<Passed<T> | null> {
  const anchors = toAnchors([way.own, ...way.near]);
  for (const [index, { id, nameless }] of anchors.entries()) {
    const nearer = anchors.slice(0, index).map((anchor) => anchor.id);
    if (way.needsVoucher && nearer.length === 0) continue;

    const limit = size + nameless + (way.needsVoucher ? nearer.length : 0);
    const page = await askBeside(ask, { limit, [way.param]: id });
    const passed = anchors.slice(index).map((anchor) => anchor.id);
    // Empty may mean that the list ends here, or that the id is unknown: a neighbour tells which.
    if (page === null || page.items.length === 0) continue;
    if (holdsAny(page.items, passed) || way.isHead(page)) continue;
    if (way.needsVoucher && !holdsAny(page.items, nearer)) continue;

    const items = beyond(nearer, way.turn(page.items).slice(nameless));
    if (items.length > 0 && misses(items, way.far)) return null;
    const near = [way.own, ...way.near].filter(
      (id) => id === null || !nearer.includes(id),
    );
    return fill(ask, way, { items, hasMore: page.hasMore, near }, size);
  }
  return null;
}

/** Asks on while the service gives fewer items than asked for and says that there are more. */
async function fill<T>(
  ask: Ask<T>,
  way: Way,
  passed: Passed<T>,
  size: number,
): Promise<Passed<T>> {
  let filled = passed;
  while (filled.items.length < size && filled.hasMore) {
    const turned: Ask<T> = async (window) => {
      const { items, hasMore } = await ask(window);
      return { items: way.turn(items), hasMore };
    };
    const limit = size - filled.items.length;
    filled = await goOn(turned, filled, { limit, param: way.param });
  }
  return filled;
}

/** Passes one more page, asked for beside the last item that has an id. */
export async function goOn<T>(
  ask: Ask<T>,
  { items, near }: Passed<T>,
  { limit, param }: { limit: number; param: string },
): Promise<Passed<T>> {
  const slots = [...items.map(({ id }) => id).reverse(), ...near];
  const anchor = toAnchors(slots)[0];
  const nameless = anchor?.nameless ?? slots.length;
  const page = await ask({
    limit: limit + nameless,
    ...(anchor === undefined ? {} : { [param]: anchor.id }),
  });
  const known = new Set(items.map(({ id }) => id));
  const fresh = page.items
    .slice(nameless)
    .filter(({ id }) => id === null || !known.has(id));
  if (fresh.length === 0 && page.hasMore) {
    throw new PageOutOfReachError(
      `Asked by \`${param}\`, the service says there is more but gives nothing new: set PAGING or PAGING_PARAM to what it pages by.`,
    );
  }
  return { items: [...items, ...fresh], hasMore: page.hasMore, near };
}

/** The page beside an item; null if the service refuses its id. */
async function askBeside<T>(
  ask: Ask<T>,
  window: Query & { limit: number },
): Promise<Page<T> | null> {
  try {
    return await ask(window);
  } catch (error) {
    const isRefused =
      error instanceof RestStatusError &&
      UNKNOWN_ANCHOR_STATUSES.includes(error.details.status);
    if (isRefused) return null;
    throw error;
  }
}

/** What can be asked beside, the nearest first. */
function toAnchors(slots: readonly Neighbour[]): Anchor[] {
  return slots.flatMap((id, index) =>
    id === null
      ? []
      : { id, nameless: slots.slice(0, index).filter((slot) => slot === null).length },
  );
}

/** A page asked for beside a neighbour begins with what lies between that and the cursor's place. */
function beyond<T>(
  nearer: readonly string[],
  items: readonly Item<T>[],
): readonly Item<T>[] {
  const passed = items.findLastIndex(({ id }) => id !== null && nearer.includes(id));
  return items.slice(passed + 1);
}

export const holdsAny = <T>(
  items: readonly Item<T>[],
  ids: readonly Neighbour[],
): boolean => items.some(({ id }) => id !== null && ids.includes(id));

/** Whether none of the items that should come next did: then this is some other part of the list. */
const misses = <T>(items: readonly Item<T>[], ids: readonly Neighbour[]): boolean =>
  ids.some((id) => id !== null) && !holdsAny(items, ids);
