import { crc32 } from 'node:zlib';
import { PageOutOfReachError } from '../paging/errors.ts';
import { BadInputError } from '../rest/errors.ts';
import { parseJson } from '../rest/json.ts';
import { ResumePoint } from './resume-point.ts';
import {
  type Change,
  compare,
  HASH_LENGTH,
  type KeptItem,
  type Polled,
  type Snapshot,
  sharesItems,
} from './snapshot.ts';
import type { WatchedList } from './watched-list.ts';
import type { Window } from './window.ts';

// A resume token is the snapshot that an event left behind, as text: ids and hashes, which tell its reader nothing new. Who gives it back
// reads the list with a token of their own, so a forged one shows nothing that they may not see.

const VERSION = 1;
/** Each may become an event. */
const MOST_ITEMS = 1000;
/** Each is an event, and a client may select its token under a hundred aliases. */
const MOST_MISSED = 100;
/** A longer token is refused as out of reach. Only a window of many items with long ids has one. Unit: characters. */
const MAX_LENGTH = 262_144;
/** What one item of a snapshot takes, about. Unit: characters. */
const SIZE_OF_ITEM = 100;

/** Gives each change of a poll its place. `key`: of the list. */
export const withResumePoints = <T>(
  changes: readonly Change<T>[],
  polled: Poll,
  key: string,
): readonly Change<T>[] =>
  changes.map((change, index) => {
    const isLast = index === changes.length - 1;
    const toState = () =>
      isLast ? polled.now : stateAfter(changes.slice(0, index + 1), polled);
    return {
      ...change,
      // The last one of a poll is read last, and so counts what all of them keep.
      size: change.size + (isLast ? sizeOf(polled) : 0),
      resumePoint: new ResumePoint(() => encode(toState(), key)),
    };
  });

interface Poll extends Pick<Polled<unknown>, 'before' | 'now'> {
  readonly window: Pick<Window<unknown>, 'newestEnd'>;
}

const sizeOf = ({ before, now }: Poll) =>
  SIZE_OF_ITEM * (before.items.size + now.items.size);

/** The state of a client that was sent these changes of a poll, and not yet the others. */
function stateAfter(
  sent: readonly Change<unknown>[],
  { before, now, window }: Poll,
): Snapshot {
  const items = new Map(before.items);
  const created: [string, KeptItem][] = [];
  for (const { id } of sent) {
    const item = now.items.get(id);
    if (item === undefined) items.delete(id);
    else if (items.has(id)) items.set(id, item);
    else created.push([id, item]);
  }
  const all =
    window.newestEnd === 'tail' ? [...items, ...created] : [...created, ...items];
  return { ...before, items: new Map(all) };
}

/** What changed since the state in a resume token; throws PageOutOfReachError if the window may not show all of it. */
export function missedSince<T>(polled: Polled<T>): readonly Change<T>[] {
  const isSeen = polled.window.isWhole || sharesItems(polled);
  const changes = isSeen ? compare(polled) : [];
  if (isSeen && changes.length <= MOST_MISSED) return changes;
  throw readAgain();
}

const readAgain = () =>
  new PageOutOfReachError(
    'More has changed since `resumeFrom` than the newest items show: read the list again, and subscribe without it.',
  );

function encode({ items, isWhole, newestTime }: Snapshot, key: string): string {
  // An item of which it is not known what it belongs to is left out: it comes again.
  const known = [...items].filter(([, { owner }]) => !(owner instanceof Error));
  const owners = [...new Set(known.map(([, { owner }]) => owner))];
  const parts = [
    VERSION,
    crc32(key),
    isWhole,
    newestTime,
    known.map(([id]) => id),
    known.map(([, { hash }]) => hash).join(''),
    owners,
    owners.length > 1 ? known.map(([, { owner }]) => owners.indexOf(owner)) : [],
  ];
  const text = JSON.stringify([...parts, crc32(JSON.stringify(parts))]);
  return Buffer.from(text).toString('base64url');
}

/** The state in a resume token of this list; throws BadInputError. */
export function readResumeToken(
  token: string,
  { key, ownerIdOf }: Pick<WatchedList<never>, 'key' | 'ownerIdOf'>,
): Snapshot {
  if (token.length > MAX_LENGTH) throw readAgain();
  const parts: unknown = parseJson(Buffer.from(token, 'base64url').toString());
  if (!Array.isArray(parts)) throw notOurs();
  const [version, list, isWhole, newestTime, ids, hashes, owners, places, sum, ...more] =
    parts;
  if (
    version !== VERSION ||
    more.length > 0 ||
    !isInteger(list) ||
    typeof isWhole !== 'boolean' ||
    !(newestTime === null || isInteger(newestTime)) ||
    !areAll(isText, ids) ||
    !isText(hashes) ||
    !areAll(isTextOrNull, owners) ||
    !areAll(isInteger, places) ||
    // The last, because lists within lists without end would fill the stack.
    sum !== crc32(JSON.stringify(parts.slice(0, -1)))
  ) {
    throw notOurs();
  }
  if (ids.length > MOST_ITEMS) throw readAgain();
  if (list !== crc32(key))
    throw new BadInputError('`resumeFrom` belongs to another subscription.');
  const items = ids.map((id, index) => {
    const hash = hashes.slice(HASH_LENGTH * index, HASH_LENGTH * (index + 1));
    const owner = owners[places[index] ?? 0];
    const isOwned = owner !== null;
    if (owner === undefined || isOwned !== Boolean(ownerIdOf)) throw notOurs();
    return [id, { hash, owner }] as const;
  });
  if (hashes.length !== HASH_LENGTH * ids.length) throw notOurs();
  return { items: new Map(items), isWhole, newestTime };
}

const notOurs = () =>
  new BadInputError('`resumeFrom` is no `resumeToken` of this gateway.');

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null =>
  value === null || isText(value);

const areAll = <T>(
  is: (value: unknown) => value is T,
  values: unknown,
): values is readonly T[] => Array.isArray(values) && values.every(is);
