import type { Asker } from './asker.ts';
import {
  askBeside,
  askWith,
  backAnchor,
  forwardAnchor,
  type Ground,
  refresh,
} from './known-list.ts';
import { backCandidates } from './names.ts';
import type { NextParam, Tried } from './next.ts';
import { chooseSamples, matching, startOf } from './place.ts';
import { strangerTo } from './unknown-id.ts';

/** From this place on, what stands in front of the item before it is not yet the head. */
const ROOM_FOR_TWO = 4;

/** What an id that is not in the list gets in the next page's parameter; a number is the status of a refusal. */
export type UnknownCursor = number | 'empty' | 'first' | 'elsewhere';

/** The parameter that asks for what stands in front of an item; null if none of the names does. */
export async function findBack(
  asker: Asker,
  ground: Ground,
  { next, tried }: { next: NextParam; tried: readonly Tried[] },
): Promise<string | null> {
  const known = tried.find(({ outcome }) => outcome === 'before');
  if (known !== undefined) return known.name;
  if (ground.known.length < SHORTEST_TELLING - 1) return null;
  const triedNames = new Set(tried.map(({ name }) => name));
  for (const name of backCandidates(next.name)) {
    if (triedNames.has(name)) continue;
    if (await pagesBack(asker, ground, name)) return name;
  }
  return null;
}

/** Asks in front of one item and, where a fresh list has room for it, in front of another. */
async function pagesBack(asker: Asker, ground: Ground, name: string): Promise<boolean> {
  const { place, limit } = backAnchor(ground);
  const outcome = await askBeside(asker, ground, { name, place, limit });
  if (outcome !== 'before' || place < ROOM_FOR_TWO) return outcome === 'before';
  await refresh(asker, ground);
  return (await askBeside(asker, ground, { name, place: place - 1, limit })) === 'before';
}

/** Asks behind an id that nobody has; null if there was no answer that can be read. */
export async function findUnknownCursor(
  asker: Asker,
  ground: Ground,
  name: string,
): Promise<UnknownCursor | null> {
  const { known } = ground;
  const purpose = `"${name}" with an id nobody has`;
  const value = strangerTo(known);
  const page = await askWith(asker, ground, { name, value, limit: 2, purpose });
  if (page === 'refused') return asker.notes.at(-1)?.status ?? null;
  if (page === 'trouble') return null;
  const start = startOf(page.ids, known);
  if (start === 'nothing') return 'empty';
  return typeof start === 'number' && start <= 0 ? 'first' : 'elsewhere';
}

/** In a list with fewer items only some sides of an item can be told apart. */
const SHORTEST_TELLING = 4;

/** Whether the parameter does the same in another list; null if that is too short to say. */
export async function worksIn(
  asker: Asker,
  ground: Ground,
  { name, style }: NextParam,
): Promise<boolean | null> {
  await refresh(asker, ground);
  const purpose = `does "${name}" move pages of the other list?`;
  const { known } = ground;
  if (known.length < SHORTEST_TELLING) return null;
  if (style === 'starting_after') {
    const anchor = forwardAnchor(ground);
    const outcome = await askBeside(asker, ground, { name, ...anchor, purpose });
    return outcome === 'trouble' ? null : outcome === 'behind';
  }
  const [sample] = chooseSamples(known.length);
  if (sample === undefined) return null;
  const { number, limit } = sample;
  const page = await askWith(asker, ground, { name, value: number, limit, purpose });
  if (typeof page === 'string') return page === 'trouble' ? null : false;
  const size = page.hasMore ? page.ids.length : Math.min(limit, ground.maxLimit);
  return matching([style], { number, size }, { ids: page.ids, known }).length > 0;
}
