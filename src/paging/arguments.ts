import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';
import { checkCursorLength } from './cursor.ts';
import { BadPageError } from './errors.ts';

/** The page arguments of a list field, as GraphQL gives them. */
export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** `size` items in one direction, next to the cursor; without a cursor, the first or the last items of the list. */
export interface PageRequest {
  readonly direction: 'forward' | 'backward';
  readonly size: number;
  readonly cursor: string | null;
}

/** Reads the arguments of a list field; throws BadPageError. */
export function toPageRequest(args: PageArguments, maxSize: number): PageRequest {
  const { first, after, last, before } = args;
  const forward = first != null || after != null;
  const backward = last != null || before != null;
  if (forward && backward) {
    throw new BadPageError(
      'Page either forward (`first`, `after`) or backward (`last`, `before`).',
    );
  }
  const [name, size] = backward ? ['last', last] : ['first', first];
  if (size != null && (size < 1 || size > maxSize)) {
    throw new BadPageError(
      `\`${name}\` takes 1 to ${maxSize} (MAX_PAGE_SIZE), not ${size}.`,
    );
  }
  const cursor = (backward ? before : after) ?? null;
  if (cursor !== null) checkCursorLength(cursor);
  return {
    direction: backward ? 'backward' : 'forward',
    size: size ?? Math.min(DEFAULT_PAGE_SIZE, maxSize),
    cursor,
  };
}
