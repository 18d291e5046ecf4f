import type { Query } from '../rest/send.ts';
import type { Asker } from './asker.ts';
import { type Head, type ListAddress, type ListPage, readList } from './list.ts';
import { keepUp, type Side, sideOf, startOf } from './place.ts';

/** A list, and what is known of its beginning; that is kept up to date while the list shifts. */
export interface Ground {
  readonly list: ListAddress;
  known: readonly string[];
  /** No page longer than this is asked for; the service may refuse it. */
  readonly maxLimit: number;
}

/** An item to ask beside, by its place, and how many items to ask for. */
export interface Anchor {
  readonly place: number;
  readonly limit: number;
}

/** What a name in a query did. */
export type SideOutcome = Side | 'refused' | 'trouble';

export const toGround = ({ list, ids }: Head, maxLimit: number | null): Ground => ({
  list,
  known: ids,
  maxLimit: maxLimit ?? Number.POSITIVE_INFINITY,
});

/** An anchor with known items on both sides, so that every side shows; in a tiny list only what is behind does. */
export function forwardAnchor({ known }: Ground): Anchor {
  if (known.length < 4) return { place: Math.min(1, known.length - 1), limit: 1 };
  return backAnchor({ known });
}

/** An anchor with items in front of it that are not the head of the list. */
export function backAnchor({ known }: Pick<Ground, 'known'>): Anchor {
  const place = Math.min(5, known.length - (known.length < 4 ? 1 : 2));
  return { place, limit: place >= 4 ? 2 : 1 };
}

/** Asks beside an item under a name, and says on which side of it the answer stands. */
export async function askBeside(
  asker: Asker,
  ground: Ground,
  { name, place, limit, purpose }: Anchor & { name: string; purpose?: string },
): Promise<SideOutcome> {
  const { known } = ground;
  const anchor = known[place] ?? '';
  if (anchor === '') return 'trouble';
  const page = await askWith(asker, ground, { name, value: anchor, limit, purpose });
  if (typeof page === 'string') return page;
  const side = sideOf(page.ids, known, place);
  if (side === 'behind' && startOf(page.ids, known) === 'beyond') {
    ground.known = [...known, ...page.ids];
  }
  return side;
}

interface NamedQuestion {
  readonly name: string;
  readonly value: string | number;
  readonly limit: number;
  /** In words; default: the question whether it does anything. */
  readonly purpose?: string | undefined;
}

/** One page of the list with a name in its query. */
export async function askWith(
  asker: Asker,
  ground: Ground,
  { name, value, limit, purpose = `does "${name}" move the page?` }: NamedQuestion,
): Promise<ListPage | 'refused' | 'trouble'> {
  const page = await read(asker, ground, { purpose, query: { limit, [name]: value } });
  if (typeof page !== 'string') ground.known = keepUp(ground.known, page.ids);
  return page;
}

/** Enough of a list to tell everything apart. */
const FRESH_ITEMS = 30;

/** Reads the beginning of the list anew. */
export async function refresh(asker: Asker, ground: Ground): Promise<void> {
  const limit = Math.min(FRESH_ITEMS, ground.known.length);
  const purpose = 'the beginning of the list again';
  const page = await read(asker, ground, { purpose, query: { limit } });
  if (typeof page !== 'string' && page.ids.length > 0) ground.known = page.ids;
}

async function read(
  asker: Asker,
  { list, maxLimit }: Ground,
  { purpose, query }: { purpose: string; query: Query & { limit: number } },
): Promise<ListPage | 'refused' | 'trouble'> {
  const limit = Math.min(query.limit, maxLimit);
  const reading = await readList(asker, list, { purpose, query: { ...query, limit } });
  return reading.kind === 'page' ? reading.page : reading.kind;
}
