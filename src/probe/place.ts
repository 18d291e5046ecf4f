/**
 * Where a page stands in the known beginning of its list. Lists shift while they are probed: new items at the head,
 * others gone. So places are judged by the ids that are known, and a few unknown ones do no harm.
 */

/** `head`: the page began as if nothing had been asked. */
export type Side = 'behind' | 'before' | 'including' | 'head' | 'nothing' | 'elsewhere';

/** So many items may have come or gone between two calls. */
const SLACK = 2;

/** On which side of the item at `anchor` a page stands. */
export function sideOf(
  ids: readonly string[],
  known: readonly string[],
  anchor: number,
): Side {
  const start = startOf(ids, known);
  if (start === 'nothing') return start;
  // Beyond all that is known lies what comes behind the last of it.
  if (start === 'beyond') return anchor === known.length - 1 ? 'behind' : 'elsewhere';
  if (start <= 0) return 'head';
  const places = ids.map((id) => known.indexOf(id)).filter((place) => place !== -1);
  if (places.includes(anchor)) return 'including';
  if (!isAscending(places)) return 'elsewhere';
  const [first = 0] = places;
  if (first > anchor && first <= anchor + 1 + SLACK) return 'behind';
  const last = places.at(-1) ?? 0;
  return last < anchor && last >= anchor - 1 - SLACK ? 'before' : 'elsewhere';
}

/** The place of a page's first item; below zero, so many new items stand in front of what is known. */
export function startOf(
  ids: readonly string[],
  known: readonly string[],
): number | 'beyond' | 'nothing' {
  if (ids.length === 0) return 'nothing';
  for (const [index, id] of ids.entries()) {
    const place = id === '' ? -1 : known.indexOf(id);
    if (place !== -1) return place - index;
  }
  return 'beyond';
}

/** What is known of a list once new items were seen at its head. */
export function keepUp(
  known: readonly string[],
  ids: readonly string[],
): readonly string[] {
  const start = startOf(ids, known);
  return typeof start === 'number' && start < 0
    ? [...ids.slice(0, -start), ...known]
    : known;
}

const isAscending = (places: readonly number[]): boolean =>
  places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));

/** What a number in a parameter may count. */
export type Counting = 'offset' | 'page' | 'page from zero';

/** A call with `number` in the parameter, for pages of `limit` items. */
export interface Sample {
  readonly number: number;
  readonly limit: number;
}

/** From so many known items on, the countings lie further apart than a list shifts between two calls. */
const LONG = 18;

/** Samples that tell the countings apart, inside what is known of the list; the first moves under each of them. */
export function chooseSamples(known: number): readonly Sample[] {
  return SAMPLES.find(({ least }) => known >= least)?.samples ?? [];
}

const SAMPLES: readonly { least: number; samples: readonly Sample[] }[] = [
  { least: LONG, samples: [sample(5, 3), sample(3, 5)] },
  { least: 7, samples: [sample(3, 2), sample(2, 3)] },
  { least: 0, samples: [sample(2, 1), sample(1, 2), sample(3, 2)] },
];

/** The countings under which a page would begin where it does; `size` is how long pages really are. */
export function matching(
  countings: readonly Counting[],
  { number, size }: { number: number; size: number },
  { ids, known }: { ids: readonly string[]; known: readonly string[] },
): readonly Counting[] {
  const start = startOf(ids, known);
  const slack = known.length >= LONG ? 1 : 0;
  return countings.filter((counting) => {
    const expected = STARTS[counting](number, size);
    if (typeof start !== 'number') return expected >= known.length;
    return Math.abs(expected - start) <= slack;
  });
}

const STARTS: Record<Counting, (number: number, size: number) => number> = {
  offset: (number) => number,
  page: (number, size) => (number - 1) * size,
  'page from zero': (number, size) => number * size,
};

function sample(number: number, limit: number): Sample {
  return { number, limit };
}
