import { RestStatusError } from '../rest/errors.ts';
import type { Item, Page } from '../rest/page.ts';
import type { Query } from '../rest/send.ts';
import type { Neighbour } from './cursor.ts';
import { DOUBT } from './place.ts';
import type { Reader } from './strategy.ts';

type Ask<T> = Reader<T>['ask'];

/** One direction through a list. "Near" is where it comes from, "far" where it goes. */
export interface Direction {
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
  readonly withoutId: number;
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
  direction: Direction,
  size: number,
): Promise<Passed<T> | null> {
  const slots = [direction.own, ...direction.near];
  const anchors = toAnchors(slots);
  let isOwnRefused = true;
  for (const [index, { id, withoutId }] of anchors.entries()) {
    const nearer = anchors.slice(0, index).map((anchor) => anchor.id);
    if (direction.needsVoucher && nearer.length === 0) continue;

    const limit = size + withoutId + (direction.needsVoucher ? nearer.length : 0);
    const page = await askBeside(ask, { limit, [direction.param]: id });
    if (page === null) continue;
    isOwnRefused &&= nearer.length > 0;
    const behind = anchors.slice(index).map((anchor) => anchor.id);
    if (!isTrusted(page, { direction, behind, nearer })) continue;

    const near = slots.filter((slot) => slot === null || !nearer.includes(slot));
    const first = {
      items: direction.turn(page.items).slice(withoutId),
      hasMore: page.hasMore,
      near,
    };
    // If the service did not say that the own item is gone, it may live on behind items that were added.
    const doubt = nearer.length > 0 && !isOwnRefused ? DOUBT : 0;
    const passed = await passNearer(ask, first, {
      direction,
      nearer,
      size,
      doubt,
    });
    return passed !== null && matches(passed.items, direction.far)
      ? { ...passed, near }
      : null;
  }
  return null;
}

/** Whether an answer can be what lies beside the item asked for. */
function isTrusted<T>(
  page: Page<T>,
  {
    direction,
    behind,
    nearer,
  }: { direction: Direction; behind: readonly string[]; nearer: readonly string[] },
): boolean {
  // Empty may mean that the list ends here, or that the id is unknown: a neighbour tells which.
  if (page.items.length === 0) return false;
  if (holdsAny(page.items, behind) || direction.isHead(page)) return false;
  return !direction.needsVoucher || holdsAny(page.items, nearer);
}

/** Reads on until `size` items lie beyond all nearer neighbours, then drops those and what lies between them; null if it cannot. */
async function passNearer<T>(
  ask: Ask<T>,
  first: Passed<T>,
  {
    direction,
    nearer,
    size,
    doubt,
  }: { direction: Direction; nearer: readonly string[]; size: number; doubt: number },
): Promise<Passed<T> | null> {
  const turned: Ask<T> = async (window) => {
    const { items, hasMore } = await ask(window);
    return { items: direction.turn(items), hasMore };
  };
  for (let passed = first; ; ) {
    const items = beyond(nearer, passed.items);
    const isInDoubt = items.length === passed.items.length;
    const missing = size + (isInDoubt ? doubt : 0) - items.length;
    if (missing <= 0 || !passed.hasMore) return { ...passed, items };
    const next = await readNext(turned, passed, {
      limit: missing,
      param: direction.param,
    });
    if (next === null) return null;
    passed = next;
  }
}

/** Passes one more page, asked for beside the last item that has an id; null if there is said to be more, and none comes. */
export async function readNext<T>(
  ask: Ask<T>,
  { items, near }: Passed<T>,
  { limit, param }: { limit: number; param: string },
): Promise<Passed<T> | null> {
  const slots = [...items.map(({ id }) => id).reverse(), ...near];
  const anchor = toAnchors(slots)[0];
  const withoutId = anchor?.withoutId ?? slots.length;
  const page = await ask({
    limit: limit + withoutId,
    ...(anchor === undefined ? {} : { [param]: anchor.id }),
  });
  const known = new Set(items.map(({ id }) => id));
  const fresh = page.items
    .slice(withoutId)
    .filter(({ id }) => id === null || !known.has(id));
  if (fresh.length === 0 && page.hasMore) return null;
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
      : { id, withoutId: slots.slice(0, index).filter((slot) => slot === null).length },
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

/** Whether the item known to come next did; if not, something was deleted or added here, or this is another part of the list. */
const matches = <T>(items: readonly Item<T>[], far: readonly Neighbour[]): boolean =>
  far.length === 0 || (items.length > 0 && items[0]?.id === far[0]);
