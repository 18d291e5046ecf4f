import { type Found, unknown } from './found.ts';
import { type FirstPage, readPage } from './lists.ts';
import type { Session } from './session.ts';

/** Unit: items. */
export interface MaxLimit {
  /** Null: none was seen. */
  readonly max: number | null;
  /** The length of the longest page seen, at most `max`. */
  readonly atLeast: number;
  /** What a larger `limit` gets: a page of `max` items, or a refusal with this status. */
  readonly above: 'capped' | number | null;
}

/** `full`: as many items as requested; `ended`: fewer, because the list is shorter; `short`: fewer, though it has more. */
type LimitResult =
  | { readonly kind: 'full' | 'ended' | 'short'; readonly given: number }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'trouble' };

export interface LimitSearch {
  readonly session: Session;
  /** The longest first page seen so far. */
  longest: FirstPage;
}

/** Limits to try in turn, above the usual maximums of services. The gateway needs no longer pages. */
const STEPS = [200, 1001] as const;
/** Tried first, each with the number above it, before bisecting. */
const USUAL_LIMITS: readonly number[] = [100, 50, 1000, 500, 250];

/** Open point: maximum limit. A cap shows only if the list is longer, or if the service refuses a larger limit. */
export async function findMaxLimit(search: LimitSearch): Promise<Found<MaxLimit>> {
  let accepted = search.longest.ids.length;
  for (const limit of STEPS) {
    const result = await tryLimit(search, limit);
    switch (result.kind) {
      case 'short':
        return confirmCap(search, { limit, given: result.given });
      case 'refused':
        return bisect(search, { accepted, refused: limit, status: result.status });
      case 'ended':
        return noneSeen(
          search,
          `limit=${limit} is accepted, but the longest list seen has only ${result.given} items, so a higher cap would not show`,
        );
      case 'trouble':
        return noneSeen(search, `limit=${limit} got no readable answer`);
      case 'full':
        accepted = limit;
    }
  }
  return noneSeen(
    search,
    `limit=${accepted} returns ${accepted} items; the probe requests no more`,
  );
}

export async function tryLimit(
  search: LimitSearch,
  limit: number,
  purpose = `a page of ${limit}: how long may pages be?`,
): Promise<LimitResult> {
  const { session, longest } = search;
  const page = await readPage(session, longest.list, { purpose, query: { limit } });
  if (page === null) return { kind: 'trouble' };
  if (typeof page === 'number') return { kind: 'refused', status: page };
  const given = page.ids.length;
  if (given > longest.ids.length) search.longest = { ...page, list: longest.list };
  if (given >= limit) return { kind: 'full', given };
  return { kind: page.hasMore ? 'short' : 'ended', given };
}

function noneSeen({ longest }: LimitSearch, evidence: string): Found<MaxLimit> {
  const atLeast = longest.ids.length;
  if (atLeast === 0) return unknown(evidence);
  return {
    finding: { max: null, atLeast, above: null },
    words: `none seen: at least ${atLeast}`,
    confidence: 'likely',
    evidence,
  };
}

/** Confirms a cap after a page that was too short: a limit one above its length should return the same length. */
async function confirmCap(
  search: LimitSearch,
  { limit, given }: { limit: number; given: number },
): Promise<Found<MaxLimit>> {
  if (given === 0) {
    return noneSeen(search, `limit=${limit} returns no items, but reports more`);
  }
  const again = await tryLimit(search, given + 1);
  const isConfirmed = again.kind === 'short' && again.given === given;
  return {
    finding: { max: given, atLeast: given, above: 'capped' },
    words: `${given}; a larger limit returns ${given} items`,
    confidence: isConfirmed ? 'certain' : 'likely',
    evidence: `limit=${limit} returns ${given} items and reports more${isConfirmed ? `; so does limit=${given + 1}` : ''}`,
  };
}

/** Finds the largest accepted limit between the length of a page seen and a refused limit. */
async function bisect(
  search: LimitSearch,
  { accepted, refused, status }: { accepted: number; refused: number; status: number },
): Promise<Found<MaxLimit>> {
  let [low, high] = [accepted, refused];
  let hasAccepted = false; // `accepted` is the length of a page; it has not been sent as a limit
  while (high - low > 1) {
    const limit = pickBetween(low, high);
    const result = await tryLimit(search, limit);
    if (result.kind === 'short') {
      return confirmCap(search, { limit, given: result.given });
    }
    if (result.kind === 'trouble') {
      return noneSeen(search, `limit=${high} is refused, limit=${limit} got no answer`);
    }
    if (result.kind === 'refused') high = limit;
    else [low, hasAccepted] = [limit, true];
  }
  hasAccepted ||= low > 0 && (await tryLimit(search, low)).kind !== 'refused';
  if (!hasAccepted)
    return noneSeen(search, `every limit tried is refused with ${status}`);
  return {
    finding: {
      max: low,
      atLeast: Math.min(low, search.longest.ids.length),
      above: status,
    },
    words: `${low}; a larger limit is refused with ${status}`,
    confidence: 'certain',
    evidence: `limit=${low} is accepted, limit=${high} is refused with ${status}`,
  };
}

/** A usual limit or the number above one, or else the middle. */
function pickBetween(low: number, high: number): number {
  const usual = USUAL_LIMITS.map((limit) => (limit === low ? limit + 1 : limit));
  return (
    usual.find((limit) => limit > low && limit < high) ?? Math.floor((low + high) / 2)
  );
}
