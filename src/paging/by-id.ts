import { PageOutOfReachError } from './errors.ts';
import { readBeyond } from './keyset.ts';
import { readNext } from './next.ts';
import { hasEarlier, takeAfter, takeBefore } from './page-slice.ts';
import type { UnknownId } from './parameters.ts';
import type { Reader } from './reader.ts';
import type { PagingStrategy } from './strategy.ts';

interface ByIdOptions {
  /** The parameter for the page after an item; takes the item's id. */
  readonly param: string;
  /** The parameter for the page before an item; takes the item's id. Null: the service has none. */
  readonly backParam: string | null;
  /** How the service answers an unknown id: with a refusal or an empty page, or with its first page. */
  readonly unknownId: UnknownId;
  /** Whether a page repeats a known item wherever that costs no further call, so that it shows by itself where it is. */
  readonly repeats?: boolean;
  /** The longest page to ask for when a list is read from its head. */
  readonly maxPageSize: number;
}

/**
 * Asks for the page right after or before an item, by its id (keyset pagination): one call a page. The answer shows
 * whether the service still knew the id. If not, the cursor's neighbours are tried; if they fail too, the list is read
 * from its head. Open point: pagination parameter.
 */
export function byId(options: ByIdOptions): PagingStrategy {
  const { param, backParam, unknownId, repeats = false, maxPageSize } = options;
  const requiresOverlap = (reader: Reader<unknown>, size: number) =>
    unknownId === 'first' || (repeats && reader.allows(size + 1));
  return {
    name: 'starting_after',
    isOneCall: false,
    overlap: 0,

    async extend(reader, { items }, wanted) {
      const limit = Math.min(wanted - items.length, maxPageSize);
      const read = { items, hasMore: true };
      const next = await readNext(reader, read, { near: [], limit, param });
      if (next === null) throw nothingNew(param);
      return { ...next, start: 0 };
    },

    async readAtCursor(reader, page) {
      const { cursor, size, isForward } = page;
      const name = isForward ? param : backParam;
      if (name === null) return null;
      const found = await readBeyond(reader, page, {
        param: name,
        requiresOverlap: requiresOverlap(reader, size),
      });
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
