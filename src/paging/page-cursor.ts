import {
  type Cursor,
  type CursorScope,
  encodeCursor,
  NEIGHBOURS,
  type Neighbour,
} from './cursor.ts';
import type { PageSlice } from './segment.ts';

/** What the cursors of a page depend on, besides its items. */
export interface CursorContext {
  /** The first item of the list, if known. */
  readonly head: Neighbour;
  readonly scope: CursorScope;
  readonly isForward: boolean;
  /** The ids that the client has passed, and that are further on, or deleted. Null if there are none. */
  readonly unseen: readonly Neighbour[] | null;
}

/** The cursor of an item of a slice, with the items around it. */
export function cursorOf(
  slice: PageSlice<unknown>,
  index: number,
  context: CursorContext,
): string {
  const { items, start, before, after } = slice;
  const { head, scope } = context;
  const ids = items
    .slice(Math.max(0, index - NEIGHBOURS), index + 1 + NEIGHBOURS)
    .map(({ id }) => id);
  const own = Math.min(index, NEIGHBOURS);
  const cursor = {
    position: start + index,
    id: ids[own] ?? null,
    before: [...ids.slice(0, own).reverse(), ...before],
    after: [...ids.slice(own + 1), ...after],
    head,
  };
  const leftOut = leftOutBeyond(slice, index, context);
  return encodeCursor(leftOut === null ? cursor : { ...cursor, leftOut }, scope);
}

function leftOutBeyond(
  { items, leftOut }: PageSlice<unknown>,
  index: number,
  { isForward, unseen }: CursorContext,
): readonly Neighbour[] | null {
  if (leftOut === undefined && unseen === null) return null;
  const isBeyond = (at: number) => (isForward ? at > index : at < index);
  const seen = (leftOut ?? []).filter(isBeyond).map((at) => items[at]?.id ?? null);
  return [...seen, ...(unseen ?? [])];
}

/** The ids that the client has passed and that are not in its page: they are further on, or deleted. Null if there are none. */
export function unseenOf(
  cursor: Cursor | null,
  { items, missing = [] }: PageSlice<unknown>,
): readonly Neighbour[] | null {
  const { leftOut = [] } = cursor ?? {};
  if (leftOut.length === 0 && missing.length === 0) return null;
  const passed = [...missing, ...leftOut];
  return passed.filter((id) => !items.some((item) => item.id === id));
}
