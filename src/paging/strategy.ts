import type { Cursor } from './cursor.ts';
import type { CallStyle, Reader } from './reader.ts';
import type { PageSlice, Segment } from './segment.ts';

/** A part of a list: next to a cursor or, without one, at the head or the end of the list. */
export interface SliceRequest {
  readonly cursor: Cursor | null;
  readonly size: number;
  readonly isForward: boolean;
}

/** A page that begins or ends at a cursor. */
export type CursorPage = SliceRequest & { readonly cursor: Cursor };

/** A way to ask the service for the next page, independent of GraphQL. Open point: pagination parameter. */
export interface PagingStrategy extends CallStyle {
  /** The value of the PAGING setting. */
  readonly name: string;
  /** The other values under which a cursor may have been made that this strategy reads. */
  readonly readsCursorsOf?: readonly string[];
  /** Extends a segment that starts at the head, with one call. Aims at `wanted` items in total; may return fewer. */
  extend<T>(reader: Reader<T>, segment: Segment<T>, wanted: number): Promise<Segment<T>>;
  /** Reads the page right after or before a cursor. Null: read the list from its head instead. */
  readAtCursor?<T>(reader: Reader<T>, page: CursorPage): Promise<PageSlice<T> | null>;
}
