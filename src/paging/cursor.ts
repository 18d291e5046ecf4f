import { crc32 } from 'node:zlib';
import { parseJson } from '../rest/json.ts';
import { BadCursorError } from './errors.ts';

/** The id of an item near the cursor's; null for a malformed item without an id. */
export type Neighbour = string | null;

/**
 * A place in a list: the item there and, in case it is deleted, its neighbours, nearest first. Clients send it as encoded
 * text, which is untrusted input, so everything decoded from it is checked.
 */
export interface Cursor {
  /** How many items were before it when it was made. Only a hint, because lists change. */
  readonly position: number;
  readonly id: Neighbour;
  readonly before: readonly Neighbour[];
  readonly after: readonly Neighbour[];
  /** The first item of the list, if known: it shows that a page started at the head again instead of continuing. */
  readonly head: Neighbour;
  /**
   * Ids that the client has passed, although they come after this place: new items have come in front of them, or they have
   * moved. They are not returned again. Missing if there are none.
   */
  readonly leftOut?: readonly Neighbour[];
  /** The end at which its page saw the newest items; missing unless these came first. */
  readonly newest?: AssumedEnd;
}

/** `guessed`: the times of the page's items did not differ. It was read as if the newest were at the head. */
export type AssumedEnd = 'head' | 'tail' | 'guessed';
const ASSUMED_ENDS: readonly unknown[] = [
  'head',
  'tail',
  'guessed',
] satisfies AssumedEnd[];

/** A cursor is valid only in its own list, and under its own paging style or one that reads its cursors. */
export interface CursorScope {
  readonly strategy: string;
  readonly list: string;
}

const CURSOR_VERSION = 1;
/** How many parts a cursor has, without those that may be missing and its checksum. */
const PARTS = 7;
/** How many neighbours to remember on each side, in case the cursor's own item is deleted. */
export const NEIGHBOURS = 4;
/** The most ids to remember that were left out. One page adds at most the cursor's own and its neighbours on one side. */
const MAX_LEFT_OUT = 12;
/** The most characters of the neighbours on one side, and of those left out. Further ones are left out, so that cursors stay short. */
const MAX_NEIGHBOUR_CHARACTERS = 600;
const MAX_POSITION = 1_000_000_000;
/** No cursor of this gateway is longer. */
const MAX_ENCODED_CHARACTERS = 16_384;

/** Encodes a cursor as base64url of its parts, with a checksum over them and their scope. */
export const encodeCursor = (cursor: Cursor, scope: CursorScope): string =>
  write(cursor, toKey(scope));

/** Decodes a cursor that `encodeCursor` made for the same list and style, or one of `others`; throws BadCursorError. */
export function decodeCursor(
  encoded: string,
  scope: CursorScope,
  others: readonly string[] = [],
): Cursor {
  const parts = split(encoded);
  const [version, key, position, id, before, after, head] = parts;
  // The checksum comes last.
  const more = parts.slice(PARTS, -1);
  const leftOut = more.find(Array.isArray);
  const newest = more.find((part) => !Array.isArray(part));
  if (
    version !== CURSOR_VERSION ||
    !Number.isInteger(key) ||
    !isPosition(position) ||
    !isNeighbour(id) ||
    !isNeighbour(head) ||
    !areNeighbours(before, NEIGHBOURS) ||
    !areNeighbours(after, NEIGHBOURS) ||
    (leftOut !== undefined && !areNeighbours(leftOut, MAX_LEFT_OUT)) ||
    (newest !== undefined && !ASSUMED_ENDS.includes(newest))
  ) {
    throw altered();
  }
  const cursor: Cursor = {
    ...{ position, id, before, after, head },
    ...(leftOut && { leftOut }),
    ...(newest !== undefined && { newest: newest as AssumedEnd }),
  };
  // A cursor has exactly one encoding, including its checksum. The gateway did not make any other text.
  if (write(cursor, key as number) !== encoded) throw altered();
  const isOf = (strategy: string) => key === toKey({ ...scope, strategy });
  if (key !== toKey(scope) && !others.some(isOf)) {
    throw new BadCursorError(
      'This cursor belongs to another list or another paging style. Use a cursor from this list.',
    );
  }
  return cursor;
}

function write(cursor: Cursor, key: number): string {
  const { position, id, head } = cursor;
  const before = withinBounds(cursor.before, NEIGHBOURS);
  const after = withinBounds(cursor.after, NEIGHBOURS);
  const parts: unknown[] = [CURSOR_VERSION, key, position, id, before, after, head];
  const leftOut = cursor.leftOut && withinBounds(cursor.leftOut, MAX_LEFT_OUT);
  if (leftOut?.length) parts.push(leftOut);
  if (cursor.newest !== undefined) parts.push(cursor.newest);
  const checksum = crc32(JSON.stringify(parts));
  return Buffer.from(JSON.stringify([...parts, checksum])).toString('base64url');
}

/** Throws BadCursorError for a text that is too long for a cursor, without reading it. */
export function checkCursorLength(encoded: string): void {
  if (encoded.length > MAX_ENCODED_CHARACTERS) throw altered();
}

const altered = () =>
  new BadCursorError(
    'This is not a cursor from this gateway. Use `pageInfo.endCursor` or the `cursor` of an edge.',
  );

const toKey = ({ strategy, list }: CursorScope): number => crc32(`${strategy} ${list}`);

function split(encoded: string): readonly unknown[] {
  checkCursorLength(encoded);
  const parts = parseJson(Buffer.from(encoded, 'base64url').toString());
  if (!Array.isArray(parts)) throw altered();
  return parts;
}

const isPosition = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_POSITION;

const isNeighbour = (value: unknown): value is Neighbour =>
  value === null || (typeof value === 'string' && value.isWellFormed());

const areNeighbours = (value: unknown, most: number): value is Neighbour[] =>
  Array.isArray(value) && value.length <= most && value.every(isNeighbour);

function withinBounds(
  neighbours: readonly Neighbour[],
  most: number,
): readonly Neighbour[] {
  let characters = 0;
  const end = neighbours.slice(0, most).findIndex((id) => {
    characters += id?.length ?? 0;
    return characters > MAX_NEIGHBOUR_CHARACTERS;
  });
  return neighbours.slice(0, end === -1 ? most : end);
}
