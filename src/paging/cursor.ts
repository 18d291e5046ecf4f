import { crc32 } from 'node:zlib';
import { BadCursorError } from './errors.ts';

/** The id of an item beside the cursor's; null for a malformed one that had none. */
export type Neighbour = string | null;

/**
 * A place in a list: the item there and, in case it is deleted, its neighbours, the nearest first.
 * What a client holds is the encoded text; it is untrusted input, so everything decoded from it is checked.
 */
export interface Cursor {
  /** How many items lay before it when it was made; a hint, for lists shift. */
  readonly position: number;
  readonly id: Neighbour;
  readonly before: readonly Neighbour[];
  readonly after: readonly Neighbour[];
  /** The first item of the list, where known: tells a page that began anew from one that went on. */
  readonly head: Neighbour;
}

/** What a cursor is bound to: it means nothing under another paging style or in another list. */
export interface CursorScope {
  readonly strategy: string;
  readonly list: string;
}

const VERSION = 1;
/** How many neighbours are remembered on either side; so many items may vanish around the cursor's own. */
export const NEIGHBOURS = 4;
/** Neighbours beyond this many characters are left out, so that long ids do not make endless cursors. */
const MAX_NEIGHBOUR_CHARACTERS = 600;
const MAX_POSITION = 1_000_000_000;
const MAX_ENCODED_CHARACTERS = 16_384;

/** The opaque text of a cursor: base64url of its parts and a checksum over them and their scope. */
export function encodeCursor(cursor: Cursor, scope: CursorScope): string {
  const { position, id, head } = cursor;
  const before = withinBounds(cursor.before);
  const after = withinBounds(cursor.after);
  const parts = [VERSION, crc32(scopeKey(scope)), position, id, before, after, head];
  const text = JSON.stringify(parts);
  return Buffer.from(JSON.stringify([...parts, crc32(text)])).toString('base64url');
}

/** Reads a cursor made by encodeCursor for the same scope; throws BadCursorError. */
export function decodeCursor(encoded: string, scope: CursorScope): Cursor {
  const [checksum, parts] = split(encoded);
  if (checksum !== crc32(JSON.stringify(parts))) throw altered();
  const [version, key, position, id, before, after, head] = parts;
  if (version !== VERSION) throw altered();
  if (key !== crc32(scopeKey(scope))) {
    throw new BadCursorError(
      'This cursor belongs to another list or another paging style.',
    );
  }
  if (
    !isPosition(position) ||
    !isNeighbour(id) ||
    !isNeighbour(head) ||
    !areNeighbours(before) ||
    !areNeighbours(after)
  ) {
    throw altered();
  }
  return { position, id, before, after, head };
}

const altered = () =>
  new BadCursorError(
    'This is no cursor of this gateway: take `pageInfo.endCursor`, or the `cursor` of an edge.',
  );

const scopeKey = ({ strategy, list }: CursorScope) => `${strategy} ${list}`;

function split(encoded: string): [checksum: unknown, parts: unknown[]] {
  if (encoded.length > MAX_ENCODED_CHARACTERS) throw altered();
  const bytes = Buffer.from(encoded, 'base64url');
  // Buffer skips what is no base64url; only the one canonical writing is a cursor.
  if (bytes.toString('base64url') !== encoded) throw altered();
  const text = bytes.toString();
  const parts = parseJson(text);
  // The same parts written in another way, with a space in it say, were not made here.
  if (!Array.isArray(parts) || JSON.stringify(parts) !== text) throw altered();
  return [parts.pop(), parts];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isPosition = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_POSITION;

const isNeighbour = (value: unknown): value is Neighbour =>
  value === null || (typeof value === 'string' && value.isWellFormed());

const areNeighbours = (value: unknown): value is Neighbour[] =>
  Array.isArray(value) && value.length <= NEIGHBOURS && value.every(isNeighbour);

function withinBounds(neighbours: readonly Neighbour[]): readonly Neighbour[] {
  let characters = 0;
  const end = neighbours.slice(0, NEIGHBOURS).findIndex((id) => {
    characters += id?.length ?? 0;
    return characters > MAX_NEIGHBOUR_CHARACTERS;
  });
  return neighbours.slice(0, end === -1 ? NEIGHBOURS : end);
}
