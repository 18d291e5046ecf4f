import { startOf } from '../paging/page-start.ts';
import { createUnknownId } from '../paging/unknown-id.ts';
import {
  type KnownList,
  type Outcome,
  positionOf,
  readWith,
  refresh,
} from './known-list.ts';
import type { UnknownCursor } from './report.ts';
import type { Session } from './session.ts';

/** The item whose id goes into the query, by its index in the known list, and the number of items to request. */
interface Anchor {
  readonly index: number;
  readonly limit: number;
}

/** A shorter list has no anchor with known items on both sides that are not on the first page. */
const MIN_ITEMS = 4;
/** From this index on, the item before the anchor can be an anchor too: the page before it is not the first page. */
const ROOM_FOR_TWO = 4;

/** Tries an id as the parameter's value and, if the page after that item comes, a second id. */
export async function tryKeyset(
  session: Session,
  known: KnownList,
  name: string,
): Promise<Outcome> {
  const anchor = forwardAnchor(known);
  const outcome = await readBeside(session, known, { name, ...anchor });
  if (outcome !== 'after') return outcome;
  // The list may have changed before the anchor. In a tiny list, the first response has added known items instead.
  if (anchor.index > 1) await refresh(session, known);
  const index = anchor.index === 0 ? 1 : anchor.index - 1;
  return readBeside(session, known, { name, index, limit: 2 });
}

/** Whether the parameter returns the page after an item; null if there was no readable response. */
export async function pagesForward(
  session: Session,
  known: KnownList,
  parameter: { name: string; purpose: string },
): Promise<boolean | null> {
  const trial = { ...parameter, ...forwardAnchor(known) };
  const outcome = await readBeside(session, known, trial);
  return outcome === 'trouble' ? null : outcome === 'after';
}

/** The first of the names that returns the page before an item; null if none does. */
export async function findBackParameter(
  session: Session,
  known: KnownList,
  names: readonly string[],
): Promise<string | null> {
  if (known.ids.length < MIN_ITEMS - 1) return null;
  for (const name of names) {
    if (await pagesBack(session, known, name)) return name;
  }
  return null;
}

/** Tries one anchor and, if the list has room for it, a second one after a fresh read. */
async function pagesBack(
  session: Session,
  known: KnownList,
  name: string,
): Promise<boolean> {
  const { index, limit } = backAnchor(known);
  const outcome = await readBeside(session, known, { name, index, limit });
  if (outcome !== 'before' || index < ROOM_FOR_TWO) return outcome === 'before';
  await refresh(session, known);
  const second = { name, index: index - 1, limit };
  return (await readBeside(session, known, second)) === 'before';
}

/** How the service answers an unknown id in the parameter; null if there was no readable response. */
export async function findUnknownCursor(
  session: Session,
  known: KnownList,
  name: string,
): Promise<UnknownCursor | null> {
  const { ids } = known;
  const purpose = `"${name}" with an unknown id`;
  const value = createUnknownId(ids);
  const page = await readWith(session, known, { name, value, limit: 2, purpose });
  if (page === 'refused') return session.responses.at(-1)?.status ?? null;
  if (page === 'trouble') return null;
  const start = startOf(page.ids, ids);
  if (start === 'empty') return 'empty';
  return typeof start === 'number' && start <= 0 ? 'first' : 'elsewhere';
}

/** An anchor with known items on both sides; in a tiny list, only with known items after it. */
function forwardAnchor(known: KnownList): Anchor {
  const { length } = known.ids;
  return length < MIN_ITEMS
    ? { index: Math.min(1, length - 1), limit: 1 }
    : backAnchor(known);
}

/** An anchor far enough from the head that the page before it is not the first page. */
function backAnchor({ ids }: KnownList): Anchor {
  const index = Math.min(5, ids.length - (ids.length < MIN_ITEMS ? 1 : 2));
  return { index, limit: index >= ROOM_FOR_TWO ? 2 : 1 };
}

/** Reads a page with the anchor's id as the parameter's value. */
async function readBeside(
  session: Session,
  list: KnownList,
  { name, index, limit, purpose }: Anchor & { name: string; purpose?: string },
): Promise<Outcome> {
  const known = list.ids;
  const value = known[index] ?? '';
  if (value === '') return 'trouble';
  const page = await readWith(session, list, { name, value, limit, purpose });
  if (typeof page === 'string') return page;
  const position = positionOf(page.ids, known, index);
  if (position === 'after' && startOf(page.ids, known) === 'unknown') {
    list.ids = [...known, ...page.ids];
  }
  return position;
}
