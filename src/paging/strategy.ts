import type { Page } from '../rest/list.ts';
import type { Query } from '../rest/send.ts';
import type { Cursor } from './cursor.ts';
import type { PageSlice, Segment } from './segment.ts';

/** The calls of one list field; reader.ts limits how many. */
export interface Reader<T> {
  /** Asks the service for one part of the list. */
  ask(window: Query & { readonly limit: number }): Promise<Page<T>>;
  /** The `limit` to ask for where this one is wanted: lower if the service is known not to return as many at once. */
  limitFor(limit: number): number;
  /** Whether the service is not known to refuse this `limit`, or to return fewer items. */
  allows(limit: number): boolean;
}

/** A way to ask the service for the next page, independent of GraphQL. Open point: pagination parameter. */
export interface PagingStrategy {
  /** The value of the PAGING setting. */
  readonly name: string;
  /** Whether a page must fit into one call, because the service has no parameter to continue a list. */
  readonly isOneCall: boolean;
  /** How many known items each further call repeats, to detect shifts. */
  readonly overlap: number;
  /** Extends a segment that starts at the head, with one call. Aims at `wanted` items in total; may return fewer. */
  extend<T>(reader: Reader<T>, segment: Segment<T>, wanted: number): Promise<Segment<T>>;
  /** Reads the page right after a cursor. Null: read the list from its head instead. */
  readAfter?<T>(
    reader: Reader<T>,
    cursor: Cursor,
    size: number,
  ): Promise<PageSlice<T> | null>;
  /** Reads the page right before a cursor. Null: read the list from its head instead. */
  readBefore?<T>(
    reader: Reader<T>,
    cursor: Cursor,
    size: number,
  ): Promise<PageSlice<T> | null>;
}
