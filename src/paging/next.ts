import { RestStatusError } from '../rest/errors.ts';
import type { Item, Page } from '../rest/list.ts';
import type { Query } from '../rest/send.ts';
import type { Neighbour } from './cursor.ts';
import type { Reader } from './strategy.ts';

export type Ask<T> = Reader<T>['ask'];

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

/** Beside so many items a page is asked for before the list is taken to have changed too much. */
const MOST_ANCHORS = 5;
/** Open point: pagination parameter. What a service may answer to the id of a deleted item. */
const UNKNOWN_ANCHOR_STATUSES: readonly number[] = [400, 404, 410, 422];

/**
 * Passes one more page, asked for beside the last item that has an id or, if that is gone by now, beside one that was
 * passed before it; null if the list has shifted too far for that, or if there is said to be more and none comes.
 */
export async function readNext<T>(
  ask: Ask<T>,
  passed: Passed<T>,
  { limit, param }: { limit: number; param: string },
): Promise<Passed<T> | null> {
  const slots = [...passed.items.map(({ id }) => id).reverse(), ...passed.near];
  const anchors = toAnchors(slots).slice(0, MOST_ANCHORS);
  if (anchors.length === 0) {
    const page = await ask({ limit: limit + slots.length });
    return append(passed, { ...page, items: page.items.slice(slots.length) });
  }
  for (const [index, { id, withoutId }] of anchors.entries()) {
    const window = { limit: limit + withoutId + index, [param]: id };
    const page = await askBeside(ask, window);
    // There was said to be more. If there is not, the item asked for is unknown, unless those behind it say otherwise.
    if (page === null || (page.items.length === 0 && !page.hasMore)) continue;
    const items = behindNearest(page.items, anchors.slice(0, index + 1));
    return append(passed, { ...page, items });
  }
  return null;
}

/** What a page asked for beside the last of these anchors holds beyond the nearest of them that is still there. */
function behindNearest<T>(
  items: readonly Item<T>[],
  anchors: readonly Anchor[],
): readonly Item<T>[] {
  for (const anchor of anchors.slice(0, -1)) {
    const index = items.findIndex(({ id }) => id === anchor.id);
    if (index !== -1) return items.slice(index + 1 + anchor.withoutId);
  }
  return items.slice(anchors.at(-1)?.withoutId);
}

/** What is new of a page, behind what was passed before. */
function append<T>({ items, near }: Passed<T>, page: Page<T>): Passed<T> | null {
  const known = new Set(items.map(({ id }) => id));
  const fresh = page.items.filter(({ id }) => id === null || !known.has(id));
  if (fresh.length === 0 && page.hasMore) return null;
  return { items: [...items, ...fresh], hasMore: page.hasMore, near };
}

/** The page beside an item; null if the service refuses its id. */
export async function askBeside<T>(
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
export function toAnchors(slots: readonly Neighbour[]): Anchor[] {
  return slots.flatMap((id, index) =>
    id === null
      ? []
      : { id, withoutId: slots.slice(0, index).filter((slot) => slot === null).length },
  );
}
