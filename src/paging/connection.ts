import type { RestDecodeError } from '../rest/errors.ts';
import type { List } from '../rest/list.ts';
import type { PageOptions, RequestedPage } from './cost.ts';
import {
  type AssumedEnd,
  type Cursor,
  type CursorScope,
  decodeCursor,
  encodeCursor,
  NEIGHBOURS,
  type Neighbour,
} from './cursor.ts';
import type { BadPageError } from './errors.ts';
import { createNewestFirst } from './newest-first.ts';
import { type PartlyKnown, Reader, type Slack } from './reader.ts';
import type { PageSlice } from './segment.ts';
import { readSlice } from './slice.ts';

/** A malformed item keeps its position, as an error. */
type Node<T> = T | RestDecodeError | null;

/** How pages are read, and what an operation may spend on them. */
export interface ReadOptions extends PageOptions {
  readonly budget: Slack;
}

/**
 * Reads the requested page of a list. Rejects with BadCursorError before any call, with PageOutOfReachError if the page
 * cannot be read from the service, and with the errors of rest/.
 */
export function readConnection<T>(
  list: PartlyKnown<T> & Pick<List<T>, 'times'>,
  page: Exclude<RequestedPage, BadPageError>,
  { strategy, bounds, listOrder, budget }: ReadOptions,
): Promise<Connection<T>> {
  const { isForward, size, cursor: encoded, cost, isNewestFirst } = page;
  const scope = { strategy: strategy.name, list: list.key };
  let cursor: Cursor | null = null;
  try {
    if (encoded !== null) cursor = decodeCursor(encoded, scope, strategy.readsCursorsOf);
  } catch (error) {
    // Not thrown: each page of each list is read once, so that its cursor is decoded once.
    return Promise.reject(error);
  }
  const { expected } = cost;
  const reader = new Reader(list, bounds, { expected, budget, style: strategy });
  const toConnection = (slice: PageSlice<T>, newest?: AssumedEnd): Connection<T> => {
    const { items, start } = slice;
    const head = start === 0 ? (items[0]?.id ?? null) : (cursor?.head ?? null);
    const unseen = unseenOf(cursor, slice);
    const leadsOn = isForward === (newest !== 'tail');
    const context = { head, scope, isForward: leadsOn, newest, unseen };
    return new Connection(slice, context);
  };
  const request = { isForward, size, cursor };
  if (!isNewestFirst)
    return readSlice(reader, request, strategy).then((slice) => toConnection(slice));
  const options = { strategy, listOrder, times: list.times };
  return createNewestFirst(
    reader,
    options,
  )(request).then(({ slice, newest }) => toConnection(slice, newest));
}

const NONE: readonly never[] = [];

/** What the cursors of a connection depend on, besides its items. */
interface SliceContext {
  /** The first item of the list, if known. */
  readonly head: Neighbour;
  readonly scope: CursorScope;
  /** Whether the page was read in the direction of the list. */
  readonly isForward: boolean;
  /** At which end the newest items are, if they are shown first; undefined: the order is that of the list. */
  readonly newest: AssumedEnd | undefined;
  /** The ids that the client has passed, and that are further on, or deleted. Null if there are none. */
  readonly unseen: readonly Neighbour[] | null;
}

/**
 * A Relay connection. Makes edges and cursors when they are selected: most operations select only nodes. Not an object
 * literal with getters: V8 would make a hidden class for each page, which keeps the page until a full collection.
 */
export class Connection<T> {
  readonly #slice: PageSlice<T>;
  readonly #context: SliceContext;
  /** Each cursor is encoded once: an operation may select one under many aliases. */
  readonly #cursors: string[] = [];
  #edges: readonly Edge<T>[] | null = null;

  constructor(slice: PageSlice<T>, context: SliceContext) {
    this.#slice = slice;
    this.#context = context;
  }

  get edges(): readonly Edge<T>[] {
    this.#edges ??= this.#map((index) => new Edge(this, index));
    return this.#edges;
  }

  get nodes(): readonly Node<T>[] {
    return this.#map((index) => this.nodeAt(index));
  }

  /** Its own, so that no page needs another object for it. */
  get pageInfo(): this {
    return this;
  }

  get hasNextPage(): boolean {
    const { hasNext, hasPrevious } = this.#slice;
    return this.#isReversed ? hasPrevious : hasNext;
  }

  get hasPreviousPage(): boolean {
    const { hasNext, hasPrevious } = this.#slice;
    return this.#isReversed ? hasNext : hasPrevious;
  }

  /** Whether its items are shown in the opposite of their order in the list. */
  get #isReversed(): boolean {
    return this.#context.newest === 'tail';
  }

  get startCursor(): string | null {
    return this.edges[0]?.cursor ?? null;
  }

  get endCursor(): string | null {
    return this.edges.at(-1)?.cursor ?? null;
  }

  /** The node at an index of `slice.items`. */
  nodeAt(index: number): Node<T> {
    return this.#slice.items[index]?.value ?? null;
  }

  cursorAt(index: number): string {
    this.#cursors[index] ??= cursorOf(this.#slice, index, this.#context);
    return this.#cursors[index];
  }

  #map<V>(make: (index: number) => V): V[] {
    const { from, to, leftOut = NONE } = this.#slice;
    const made: V[] = [];
    for (let index = from; index < to; index += 1)
      if (!leftOut.includes(index)) made.push(make(index));
    return this.#isReversed ? made.reverse() : made;
  }
}

class Edge<T> {
  readonly #connection: Connection<T>;
  readonly #index: number;

  constructor(connection: Connection<T>, index: number) {
    this.#connection = connection;
    this.#index = index;
  }

  get node(): Node<T> {
    return this.#connection.nodeAt(this.#index);
  }

  get cursor(): string {
    return this.#connection.cursorAt(this.#index);
  }
}

/** The cursor of an item of a slice, with the items around it. */
function cursorOf(
  slice: PageSlice<unknown>,
  index: number,
  context: SliceContext,
): string {
  const { items, start, before = NONE, after = NONE } = slice;
  const { head, scope, newest } = context;
  const ids = items
    .slice(Math.max(0, index - NEIGHBOURS), index + 1 + NEIGHBOURS)
    .map(({ id }) => id);
  const own = Math.min(index, NEIGHBOURS);
  const leftOut = leftOutBeyond(slice, index, context);
  const cursor = {
    position: start + index,
    id: ids[own] ?? null,
    before: [...ids.slice(0, own).reverse(), ...before],
    after: [...ids.slice(own + 1), ...after],
    head,
    ...(leftOut && { leftOut }),
    ...(newest && { newest }),
  };
  return encodeCursor(cursor, scope);
}

function leftOutBeyond(
  { items, leftOut }: PageSlice<unknown>,
  index: number,
  { isForward, unseen }: SliceContext,
): readonly Neighbour[] | null {
  if (leftOut === undefined && unseen === null) return null;
  const isBeyond = (at: number) => (isForward ? at > index : at < index);
  const seen = (leftOut ?? []).filter(isBeyond).map((at) => items[at]?.id ?? null);
  return [...seen, ...(unseen ?? [])];
}

/** The ids that the client has passed and that are not in its page: they are further on, or deleted. Null if there are none. */
function unseenOf(
  cursor: Cursor | null,
  { items, missing = NONE }: PageSlice<unknown>,
): readonly Neighbour[] | null {
  const leftOut = cursor?.leftOut ?? NONE;
  if (leftOut.length === 0 && missing.length === 0) return null;
  const passed = [...missing, ...leftOut];
  return passed.filter((id) => !items.some((item) => item.id === id));
}
