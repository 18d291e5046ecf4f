import type { Item, Page } from '../rest/list.ts';
import type { Neighbour } from './cursor.ts';
import { type Ask, askBeside, type Passed, readNext, toAnchors } from './next.ts';
import type { Reader } from './strategy.ts';

/** One direction through a list. "Near" is where it comes from, "far" where it goes. */
export interface Direction {
  readonly param: string;
  readonly own: Neighbour;
  readonly near: readonly Neighbour[];
  readonly far: readonly Neighbour[];
  /** Puts the items of a page into the order in which they are passed, or back. */
  turn<T>(items: readonly Item<T>[]): readonly Item<T>[];
  /** Whether an answer counts only if it holds a known item, because the service begins anew for an unknown id. */
  readonly requiresOverlap: boolean;
  /** Whether a page gives itself away as the head of the list, served because the id was not known. */
  isHead<T>(page: Page<T>): boolean;
}

/** At least `size` items beyond the cursor's own, unless the list ends; null if no answer can be trusted. */
export async function seek<T>(
  { ask }: Reader<T>,
  direction: Direction,
  size: number,
): Promise<Passed<T> | null> {
  const slots = [direction.own, ...direction.near];
  const anchors = toAnchors(slots);
  for (const [index, { id, withoutId }] of anchors.entries()) {
    const nearer = anchors.slice(0, index).map((anchor) => anchor.id);
    // A neighbour may have been moved: it marks the place only together with another.
    const requiresOverlap = direction.requiresOverlap || nearer.length > 0;
    if (requiresOverlap && nearer.length === 0) continue;

    const limit = size + withoutId + nearer.length;
    const page = await askBeside(ask, { limit, [direction.param]: id });
    if (page === null) continue;
    const items = direction.turn(page.items).slice(withoutId);
    const behind = anchors.slice(index).map((anchor) => anchor.id);
    const isTrusted = requiresOverlap
      ? beginsWithAny(items, nearer)
      : isPlausible(page, direction, behind);
    if (!isTrusted) continue;

    const near = slots.filter((slot) => slot === null || !nearer.includes(slot));
    const first = { items, hasMore: page.hasMore, near };
    const passed = await passNearer(ask, first, {
      direction,
      size,
      passed: anchors.map((anchor) => anchor.id),
    });
    return passed !== null && matches(passed.items, direction.far)
      ? { ...passed, near }
      : null;
  }
  return null;
}

/** Whether an answer can be what lies beside the cursor's own item. */
const isPlausible = <T>(
  page: Page<T>,
  direction: Direction,
  behind: readonly string[],
): boolean =>
  // Empty may mean that the list ends here, or that the id is unknown: a neighbour tells which.
  page.items.length > 0 && !holdsAny(page.items, behind) && !direction.isHead(page);

/** Reads on until there are `size` items that the cursor does not remember as passed; null if it cannot. */
async function passNearer<T>(
  ask: Ask<T>,
  first: Passed<T>,
  {
    direction,
    size,
    passed: ids,
  }: { direction: Direction; size: number; passed: readonly string[] },
): Promise<Passed<T> | null> {
  const turned: Ask<T> = async (window) => {
    const { items, hasMore } = await ask(window);
    return { items: direction.turn(items), hasMore };
  };
  for (let passed = first; ; ) {
    const items = beyond(ids, passed.items);
    const missing = size - items.length;
    if (missing <= 0 || !passed.hasMore) return { ...passed, items };
    const next = await readNext(turned, passed, {
      limit: missing,
      param: direction.param,
    });
    if (next === null) return null;
    passed = next;
  }
}

/**
 * A page asked for beside a neighbour begins with what lies between that and the cursor's place. Those that stand further
 * on were passed too: they have been moved, or others were added in front of them.
 */
function beyond<T>(
  ids: readonly string[],
  items: readonly Item<T>[],
): readonly Item<T>[] {
  const isPassed = ({ id }: Item<T>) => id !== null && ids.includes(id);
  const begin = items.findIndex((item) => item.id !== null && !isPassed(item));
  const passed = items.slice(0, begin === -1 ? items.length : begin);
  return items
    .slice(passed.findLastIndex(isPassed) + 1)
    .filter((item) => !isPassed(item));
}

const beginsWithAny = <T>(
  items: readonly Item<T>[],
  ids: readonly Neighbour[],
): boolean => holdsAny(items.filter(({ id }) => id !== null).slice(0, 1), ids);

export const holdsAny = <T>(
  items: readonly Item<T>[],
  ids: readonly Neighbour[],
): boolean => items.some(({ id }) => id !== null && ids.includes(id));

/** Whether the item known to come next did; if not, something was deleted or added here, or this is another part of the list. */
const matches = <T>(items: readonly Item<T>[], far: readonly Neighbour[]): boolean =>
  far.length === 0 || (items.length > 0 && items[0]?.id === far[0]);
