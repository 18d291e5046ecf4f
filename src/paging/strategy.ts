import type { Page } from '../rest/list.ts';
import type { Query } from '../rest/path.ts';
import type { Cursor } from './cursor.ts';
import type { KnownEndpoint } from './known-endpoints.ts';
import type { PageSlice, Segment } from './segment.ts';

/** What a trial brought: a page, the service's refusal of the parameter, or no readable answer. */
export type TrialAnswer<T> = Page<T> | 'refused' | 'trouble';

/** How the calls of a strategy relate to one another. */
export interface CallStyle {
  /** Whether a page must fit into one call, because the service has no parameter to continue a list. */
  readonly isOneCall: boolean;
  /** How many known items each further call repeats, to detect shifts. */
  readonly overlap: number;
  /** Whether usual maximums are tried below a refused `limit`. */
  readonly triesMaximums?: boolean;
}

/** A part of a list, with its paging parameters. */
export type Asked = Query & { readonly limit: number };

/** The calls of one list field; reader.ts limits how many. */
export interface Reader<T> {
  /** What the process knows of the list's endpoint. */
  readonly endpoint: KnownEndpoint;
  /** How many items beyond a page to look for: one, if `has_more` may be true although the service leaves out all others. */
  readonly ahead: number;
  /** The strategy that the next calls are made for: one that chooses among others sets it. */
  style: CallStyle;

  /**
   * Asks the service for one part of the list. If the service refuses the `limit`, asks again with ten; or, if as many
   * have been read with a lower one, returns no items. Throws OutOfCallsError at once if the call may not be made.
   */
  ask(window: Asked, hasRead?: boolean): Promise<Page<T>>;
  /** Asks for a part that the page can do without; null if the operation, or this list field, leaves no call for it. */
  tryOut(window: Asked): Promise<TrialAnswer<T> | null>;
  /** The calls made so far no longer count for MAX_CALLS_PER_LIST. They still count for MAX_REST_CALLS. */
  restart(): void;
  /** The `limit` to ask for where this one is wanted: lower if the service is known not to return as many at once. */
  limitFor(limit: number): number;
  /** Whether the service is not known to refuse this `limit`, or to return fewer items. */
  allows(limit: number): boolean;
}

/** A page that begins or ends at a cursor. */
export interface CursorPage {
  readonly cursor: Cursor;
  readonly size: number;
  readonly isForward: boolean;
}

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
