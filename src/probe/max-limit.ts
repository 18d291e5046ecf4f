import { isRefusedRequest } from '../rest/status.ts';
import { type Found, unknown } from './found.ts';
import { isPage, type ListPage, readPage } from './lists.ts';
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

export interface LimitSearch {
  readonly session: Session;
  /** The longest first page seen so far. */
  longest: ListPage;
}

/** Limits to try in turn, above the usual maximums of services. The gateway needs no longer pages. */
const STEPS = [200, 1001];
/** Tried first, each with the number above it, before bisecting. */
const USUAL_LIMITS: readonly number[] = [100, 50, 1000, 500, 250];

/** Open point: maximum limit. A cap shows only if the list is longer, or if the service refuses a larger limit. */
export async function findMaxLimit(search: LimitSearch): Promise<Found<MaxLimit>> {
  const steps = STEPS.values();
  let low = search.longest.ids.length;
  let isAccepted = false; // `low` is the length of a page; it may not have been sent as a limit
  let refused = null as { limit: number; status: number } | null;
  for (;;) {
    const limit: number | undefined =
      refused === null ? steps.next().value : pickBetween(low, refused.limit);
    if (limit === undefined) break;
    const { kind, given, status } = await tryLimit(search, limit);
    if (kind === 'short') return confirmCap(search, limit, given);
    if (kind === 'trouble') {
      return noneSeen(
        search,
        refused === null
          ? `limit=${limit} got no readable answer`
          : `limit=${refused.limit} is refused, limit=${limit} got no answer`,
      );
    }
    if (kind === 'ended' && refused === null) {
      return noneSeen(
        search,
        `limit=${limit} is accepted, but the longest list seen has only ${given} items, so a higher cap would not show`,
      );
    }
    if (kind === 'refused') refused = { limit, status: refused?.status ?? status };
    else [low, isAccepted] = [limit, true];
  }
  if (refused === null) {
    const words = `limit=${low} returns ${low} items; the probe requests no more`;
    return noneSeen(search, words);
  }
  const { limit, status } = refused;
  isAccepted ||= low > 0 && (await tryLimit(search, low)).kind !== 'refused';
  if (!isAccepted) return noneSeen(search, `every limit tried is refused with ${status}`);
  const atLeast = Math.min(low, search.longest.ids.length);
  return {
    finding: { max: low, atLeast, above: status },
    words: `${low}; a larger limit is refused with ${status}`,
    confidence: 'certain',
    evidence: `limit=${low} is accepted, limit=${limit} is refused with ${status}`,
  };
}

/** `full`: as many items as requested; `ended`: fewer, because the list is shorter; `short`: fewer, though it has more. */
export async function tryLimit(
  search: LimitSearch,
  limit: number,
  purpose = `a page of ${limit}: how long may pages be?`,
) {
  const { session, longest } = search;
  const page = await readPage(session, longest, { limit }, purpose);
  if (!isPage(page)) {
    const { status } = page;
    const kind = isRefusedRequest(status) ? 'refused' : 'trouble';
    return { kind, given: 0, status } as const;
  }
  const given = page.ids.length;
  if (given > longest.ids.length) search.longest = page;
  const kind = given >= limit ? 'full' : page.hasMore ? 'short' : 'ended';
  return { kind, given, status: 0 } as const;
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
  limit: number,
  given: number,
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

/** A usual limit or the number above one, or else the middle; undefined if there is none between the two. */
function pickBetween(low: number, high: number): number | undefined {
  if (high - low <= 1) return undefined;
  const usual = USUAL_LIMITS.map((limit) => (limit === low ? limit + 1 : limit));
  return (
    usual.find((limit) => limit > low && limit < high) ?? Math.floor((low + high) / 2)
  );
}
