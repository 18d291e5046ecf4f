import type { PageRequest } from './arguments.ts';
import type { PageOptions } from './cost.ts';
import type { Cursor } from './cursor.ts';
import { backwardFromHead, forwardFromHead } from './from-head.ts';
import type { PageSlice } from './segment.ts';
import type { Reader } from './strategy.ts';

/** A part of a list: next to a cursor or, without one, at the head or the end of the list. */
export interface SliceRequest extends Pick<PageRequest, 'direction' | 'size'> {
  readonly cursor: Cursor | null;
}

/** Reads a part of a list. Throws PageOutOfReachError if it cannot be read from the service, and the errors of rest/. */
export function readSlice<T>(
  reader: Reader<T>,
  { direction, size, cursor }: SliceRequest,
  { strategy, bounds: { maxPageSize } }: PageOptions,
): Promise<PageSlice<T>> {
  const isForward = direction === 'forward';
  const fromHead = isForward ? forwardFromHead : backwardFromHead;
  const readFromHead = () => fromHead({ strategy, reader, size, cursor, maxPageSize });
  if (cursor === null) return readFromHead();
  const read = isForward ? strategy.readAfter : strategy.readBefore;
  if (read === undefined) return readFromHead();
  return read(reader, cursor, size).then((found) => found ?? readFromHead());
}
