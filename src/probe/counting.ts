import { type Counting, STARTS, startOf } from '../paging/page-start.ts';
import { type KnownList, type Outcome, readWith, refresh } from './known-list.ts';
import type { ListPage } from './list.ts';
import type { Session } from './session.ts';

export const COUNTINGS = Object.keys(STARTS) as readonly Counting[];

/** One value for the parameter, and the number of items to request. */
interface Sample {
  readonly value: number;
  readonly limit: number;
}

/** From this length on, the ways of counting predict pages further apart than a list shifts between two calls. */
const LONG = 18;

/** Samples for which each way of counting predicts another page; the first sample changes the page under all of them. */
const SAMPLES: readonly { minItems: number; samples: readonly Sample[] }[] = [
  { minItems: LONG, samples: [sample(5, 3), sample(3, 5)] },
  { minItems: 7, samples: [sample(3, 2), sample(2, 3)] },
  { minItems: 0, samples: [sample(2, 1), sample(1, 2), sample(3, 2)] },
];

/** Tries numbers as the parameter's value until one way of counting is left. */
export async function tryCounting(
  session: Session,
  known: KnownList,
  name: string,
): Promise<Outcome | Counting> {
  let left = COUNTINGS;
  for (const [index, sample] of samplesFor(known).entries()) {
    if (index === 1) await refresh(session, known);
    if (index > 1 && left.length === 1) break;
    const before = { ...known };
    const page = await readWith(session, known, { name, ...sample });
    if (typeof page === 'string') return page;
    left = left.filter((counting) => explains(counting, { sample, page, known: before }));
    if (left.length === 0) return outcomeOf(page, before);
  }
  return left[0] ?? 'elsewhere';
}

/** Whether the parameter counts in the given way; null if there was no readable response. */
export async function countsAs(
  session: Session,
  known: KnownList,
  { name, purpose, counting }: { name: string; purpose: string; counting: Counting },
): Promise<boolean | null> {
  const [sample] = samplesFor(known);
  if (sample === undefined) return null;
  const before = { ...known };
  const page = await readWith(session, known, { name, purpose, ...sample });
  if (typeof page === 'string') return page === 'trouble' ? null : false;
  return explains(counting, { sample, page, known: before });
}

/** The outcome of a number that no way of counting explains. */
function outcomeOf({ ids }: ListPage, known: KnownList): Outcome {
  const start = startOf(ids, known.ids);
  if (start === 'empty') return start;
  return typeof start === 'number' && start <= 1 ? 'first page' : 'elsewhere';
}

/** Whether the page begins where this way of counting expects it. */
function explains(
  counting: Counting,
  { sample, page, known }: { sample: Sample; page: ListPage; known: KnownList },
): boolean {
  const { value, limit } = sample;
  // The service may use a page size of its own.
  const size = page.hasMore ? page.ids.length : Math.min(limit, known.maxLimit);
  const expected = STARTS[counting](value, size);
  const start = startOf(page.ids, known.ids);
  if (typeof start !== 'number') return expected >= known.ids.length;
  const slack = known.ids.length >= LONG ? 1 : 0;
  return Math.abs(expected - start) <= slack;
}

const samplesFor = ({ ids }: KnownList): readonly Sample[] =>
  SAMPLES.find(({ minItems }) => ids.length >= minItems)?.samples ?? [];

function sample(value: number, limit: number): Sample {
  return { value, limit };
}
