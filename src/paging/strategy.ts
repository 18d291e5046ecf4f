import type { Item, Page } from '../rest/list.ts';
import type { Query } from '../rest/send.ts';
import type { Cursor, Neighbour } from './cursor.ts';

/** The beginning of a list, without gaps, in the service's order. */
export interface Segment<T> {
  readonly items: readonly Item<T>[];
  /** Whether the service has items behind these. */
  readonly hasMore: boolean;
  /** Why no longer segment can be had, though there is more; null while one can. */
  readonly stuckBecause: string | null;
}

/** A page, and the items around it that happen to be known. */
export interface PageSlice<T> {
  readonly items: readonly Item<T>[];
  /** How many items lie before the first of these, as far as known. */
  readonly start: number;
  /** The page is `items` from here ... */
  readonly from: number;
  /** ... up to here, exclusive. */
  readonly to: number;
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  /** What is known to lie before and after `items`, the nearest first. */
  readonly before: readonly Neighbour[];
  readonly after: readonly Neighbour[];
}

/** The calls of one list field; reader.ts bounds them. */
export interface Reader<T> {
  /** Asks the service for one part of the list. */
  ask(window: Query & { readonly limit: number }): Promise<Page<T>>;
  /** The longest part the service is known to give at once; infinite until it gave less than asked for. */
  readonly longest: number;
}

/** How the next page is asked for: one answer to the open point "pagination parameter". Knows nothing of GraphQL. */
export interface PagingStrategy {
  /** The value of the PAGING setting. */
  readonly name: string;
  /** Whether every page is one call, for want of another way; a page that is too long for that is out of reach. */
  readonly isOneCall: boolean;
  /** How many items known already each further part of a list begins with. */
  readonly overlap: number;
  /**
   * Makes the beginning of a list longer, with one call; `wanted` items in all would be enough,
   * fewer may come.
   */
  extend<T>(reader: Reader<T>, segment: Segment<T>, wanted: number): Promise<Segment<T>>;
  /** Where the service can be asked right behind an item: that page. Null: the list must be read from its head. */
  seekAfter?<T>(
    reader: Reader<T>,
    cursor: Cursor,
    size: number,
  ): Promise<PageSlice<T> | null>;
  /** The same in front of an item. */
  seekBefore?<T>(
    reader: Reader<T>,
    cursor: Cursor,
    size: number,
  ): Promise<PageSlice<T> | null>;
}
