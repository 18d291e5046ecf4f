import type { Asker } from './asker.ts';
import {
  type Anchor,
  askBeside,
  askWith,
  forwardAnchor,
  type Ground,
  refresh,
  type SideOutcome,
} from './known-list.ts';
import { CANDIDATES, type Candidate } from './names.ts';
import { type Counting, chooseSamples, matching, type Sample, startOf } from './place.ts';

/** A parameter that asks for the next page, and what it takes: an item's id, or a number that counts. */
export interface NextParam {
  readonly name: string;
  readonly style: 'starting_after' | Counting;
  /** Whether the list was long enough to see where the pages stand. */
  readonly isSure: boolean;
}

/** What became of one name. */
export interface Tried {
  readonly name: string;
  readonly outcome: SideOutcome | Counting;
}

/** With fewer known items a page that moves cannot be told from one that shows something else. */
const SURE_FROM = 3;
const COUNTINGS: readonly Counting[] = ['offset', 'page', 'page from zero'];

/** Tries name after name until one asks for the next page; `tried` gets what each of them did. */
export async function findNext(
  asker: Asker,
  ground: Ground,
  tried: Tried[],
): Promise<NextParam | null> {
  const isSure = ground.known.length >= SURE_FROM;
  for (const candidate of CANDIDATES) {
    const { name, takes } = candidate;
    const outcome = await tryName(asker, ground, candidate);
    tried.push({ name, outcome });
    if (takes === 'id' && outcome === 'behind') {
      return { name, style: 'starting_after', isSure };
    }
    const style = COUNTINGS.find((counting) => counting === outcome);
    if (style !== undefined) return { name, style, isSure };
  }
  return null;
}

/** What is plain at once; anything else may come of a list that has shifted, and is tried on a fresh one. */
const PLAIN: readonly Tried['outcome'][] = [
  'head',
  'refused',
  'trouble',
  'behind',
  ...COUNTINGS,
];

async function tryName(
  asker: Asker,
  ground: Ground,
  { name, takes }: Candidate,
): Promise<Tried['outcome']> {
  const tryOnce = takes === 'id' ? tryId : tryNumber;
  const outcome = await tryOnce(asker, ground, name);
  if (PLAIN.includes(outcome)) return outcome;
  await refresh(asker, ground);
  return tryOnce(asker, ground, name);
}

/** Asks behind one item and, if that is what comes, behind another. */
async function tryId(asker: Asker, ground: Ground, name: string): Promise<SideOutcome> {
  const first = forwardAnchor(ground);
  const outcome = await askBeside(asker, ground, { name, ...first });
  if (outcome !== 'behind') return outcome;
  // The head may have moved up to the anchor; in a tiny list the first answer is part of what is known.
  if (first.place > 1) await refresh(asker, ground);
  return askBeside(asker, ground, { name, ...secondAnchor(first) });
}

/** The item in front of the first anchor, or, where that was the head, the one that came behind it. */
const secondAnchor = ({ place }: Anchor): Anchor => ({
  place: place === 0 ? 1 : place - 1,
  limit: 2,
});

/** Asks with a number, and with others if that moved the page, until one way of counting is left. */
async function tryNumber(
  asker: Asker,
  ground: Ground,
  name: string,
): Promise<Tried['outcome']> {
  let left = COUNTINGS;
  for (const [index, sample] of chooseSamples(ground.known.length).entries()) {
    if (index === 1) await refresh(asker, ground);
    if (index > 1 && left.length === 1) break;
    const outcome = await count(asker, ground, { name, sample, left });
    if (typeof outcome === 'string') return outcome;
    left = outcome;
  }
  return left[0] ?? 'elsewhere';
}

/** The ways of counting that explain where the page stands. */
async function count(
  asker: Asker,
  ground: Ground,
  { name, sample, left }: CountQuestion,
): Promise<readonly Counting[] | SideOutcome> {
  const { number, limit } = sample;
  const { known } = ground;
  const page = await askWith(asker, ground, { name, value: number, limit });
  if (typeof page === 'string') return page;
  const { ids, hasMore } = page;
  // A service may give pages of a length of its own.
  const size = hasMore ? ids.length : Math.min(limit, ground.maxLimit);
  const matches = matching(left, { number, size }, { ids, known });
  if (matches.length > 0) return matches;
  const start = startOf(ids, known);
  if (start === 'nothing') return start;
  return typeof start === 'number' && start <= 1 ? 'head' : 'elsewhere';
}

interface CountQuestion {
  readonly name: string;
  readonly sample: Sample;
  readonly left: readonly Counting[];
}
