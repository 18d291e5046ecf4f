import type { RestDecodeError } from '../rest/errors.ts';
import type { PageOptions, RequestedPage } from './cost.ts';
import {
  type CursorScope,
  decodeCursor,
  encodeCursor,
  NEIGHBOURS,
  type Neighbour,
} from './cursor.ts';
import type { BadPageError } from './errors.ts';
import { backwardFromHead, forwardFromHead } from './from-head.ts';
import { type Allowance, boundedReader, type PartlyKnown } from './reader.ts';
import type { PageSlice } from './segment.ts';

/** A Relay connection. A malformed item keeps its position, as an error, or as null if the answer lists enough errors. */
export interface Connection<T> {
  readonly edges: readonly Edge<T>[];
  readonly nodes: readonly (T | RestDecodeError | null)[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

interface Edge<T> {
  readonly node: T | RestDecodeError | null;
  readonly cursor: string;
}

/** How pages are read, and what an operation may spend on them. */
export interface ReadOptions extends PageOptions, Pick<Allowance, 'takeSlack'> {}

/**
 * Reads the requested page of a list. Throws BadCursorError before any call, PageOutOfReachError if the page cannot be
 * read from the service, and the errors of rest/.
 */
export async function readConnection<T>(
  list: PartlyKnown<T>,
  { direction, size, cursor: encoded, cost }: Exclude<RequestedPage, BadPageError>,
  { strategy, bounds, takeSlack }: ReadOptions,
): Promise<Connection<T>> {
  const scope = { strategy: strategy.name, list: list.key };
  const cursor = encoded === null ? null : decodeCursor(encoded, scope);
  const { expected } = cost;
  const { isOneCall, overlap } = strategy;
  const allowance = { expected, takeSlack, isOneCall, overlap };
  const reader = boundedReader(list, bounds, allowance);

  const isForward = direction === 'forward';
  const readFromCursor = isForward ? strategy.readAfter : strategy.readBefore;
  const fromHead = isForward ? forwardFromHead : backwardFromHead;
  const found = cursor && (await readFromCursor?.(reader, cursor, size));
  const slice =
    found ??
    (await fromHead({ strategy, reader, size, cursor, maxPageSize: bounds.maxPageSize }));
  const head = slice.start === 0 ? (slice.items[0]?.id ?? null) : (cursor?.head ?? null);
  return toConnection(slice, head, scope);
}

function toConnection<T>(
  slice: PageSlice<T>,
  head: Neighbour,
  scope: CursorScope,
): Connection<T> {
  const { items, from, to, hasPrevious, hasNext } = slice;
  const ids = items.map(({ id }) => id);
  const encoded: string[] = [];
  const cursorAt = (index: number): string =>
    (encoded[index] ??= encodeCursor(
      {
        position: slice.start + index,
        id: ids[index] ?? null,
        before: [
          ...ids.slice(Math.max(0, index - NEIGHBOURS), index).reverse(),
          ...slice.before,
        ],
        after: [...ids.slice(index + 1, index + 1 + NEIGHBOURS), ...slice.after],
        head,
      },
      scope,
    ));
  // Cursors are encoded on demand, once each: most operations select few of them, and others select one under many aliases.
  const edges = items.slice(from, to).map(({ value }, index) => ({
    node: value,
    get cursor() {
      return cursorAt(from + index);
    },
  }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: hasNext,
      hasPreviousPage: hasPrevious,
      get startCursor() {
        return edges[0]?.cursor ?? null;
      },
      get endCursor() {
        return edges.at(-1)?.cursor ?? null;
      },
    },
  };
}
