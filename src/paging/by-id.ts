import type { Cursor } from './cursor.ts';
import { PageOutOfReachError } from './errors.ts';
import { type Direction, holdsAny, seek } from './keyset.ts';
import { readNext } from './next.ts';
import type { PagingStrategy } from './strategy.ts';

export const UNKNOWN_IDS = ['refused', 'first'] as const;
export type UnknownId = (typeof UNKNOWN_IDS)[number];

export interface StartingAfterOptions {
  /** Parameter that takes the id of the item a page begins behind. */
  readonly param: string;
  /** Parameter that takes the id of the item a page ends in front of. */
  readonly backParam: string;
  /** What the service answers to the id of an item that is gone: a refusal or an empty page, or its first page. */
  readonly unknownId: UnknownId;
  /** The longest page asked for when a list is read from its head. */
  readonly maxPageSize: number;
}

/**
 * Asks right behind, or right in front of, an item by its id: one call a page. Whether the service knew the id shows
 * in what comes back; if not, the next neighbour the cursor remembers is asked for, and at last the list is read from
 * its head. Open point: pagination parameter.
 */
export function startingAfter(options: StartingAfterOptions): PagingStrategy {
  return {
    name: 'starting_after',
    isOneCall: false,
    overlap: 0,

    async extend(reader, segment, wanted) {
      const limit = Math.min(wanted - segment.items.length, options.maxPageSize);
      const fromHead = { items: segment.items, hasMore: true, near: [] };
      const next = await readNext(reader.ask, fromHead, { limit, param: options.param });
      if (next === null) throw nothingNew(options.param);
      const { items, hasMore } = next;
      return { ...segment, items, hasMore };
    },

    async seekAfter(reader, cursor, size) {
      const found = await seek(reader, forward(options, cursor), size);
      if (found === null) return null;
      const { items, hasMore, near } = found;
      return {
        items,
        start: cursor.position + 1,
        from: 0,
        to: Math.min(size, items.length),
        hasPrevious: true,
        hasNext: hasMore || items.length > size,
        before: near,
        after: [],
      };
    },

    async seekBefore(reader, cursor, size) {
      const direction = backward(options, cursor);
      const found = await seek(reader, direction, size);
      if (found === null) return null;
      const { items, hasMore, near } = found;
      return {
        items: direction.turn(items),
        start: Math.max(0, cursor.position - items.length),
        from: Math.max(0, items.length - size),
        to: items.length,
        hasPrevious: hasMore || items.length > size,
        hasNext: true,
        before: [],
        after: near,
      };
    },
  };
}

const nothingNew = (param: string) =>
  new PageOutOfReachError(
    `Asked by \`${param}\`, the service says there is more but gives nothing new: the list has shifted while it was read (ask again), or set PAGING or PAGING_PARAM to what it pages by.`,
  );

const forward = (
  { param, unknownId }: StartingAfterOptions,
  { id, before, after, head }: Cursor,
): Direction => ({
  param,
  own: id,
  near: before,
  far: after,
  turn: (items) => items,
  requiresOverlap: unknownId === 'first',
  isHead: ({ items }) => head !== id && holdsAny(items, [head]),
});

const backward = (
  { backParam, unknownId }: StartingAfterOptions,
  { id, before, after, head }: Cursor,
): Direction => ({
  param: backParam,
  own: id,
  near: after,
  far: before,
  turn: (items) => items.toReversed(),
  requiresOverlap: unknownId === 'first',
  // The head alone does not tell: items added in front of it make it one like any other.
  isHead: ({ items, hasMore }) => hasMore && head !== null && items[0]?.id === head,
});
