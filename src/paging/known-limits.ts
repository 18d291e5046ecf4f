import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';

/** A `limit` that every service accepts. */
export const SAFE_LIMIT = DEFAULT_PAGE_SIZE;

/** What a process has learned of the highest `limit` of one list endpoint. Open point: maximum limit. */
export interface KnownLimits {
  /** The `limit` to ask for where this one is wanted: lower if the service refused as much, or returns fewer items. */
  limitFor(limit: number): number;
  /** Whether the service has accepted this `limit`, and returned as many items or all there are. */
  accepts(limit: number): boolean;
  /** A usual maximum between what was accepted and what was refused; null if there is none, or it was refused too. */
  guess(): number | null;
  /** The most items that are asked for at once; null if the service has not refused or cut any `limit`. */
  longest(): number | null;
  /** True for one page every RETRY_AFTER_MS, which asks for more than is known to be accepted: the service may have raised its maximum. */
  takeRetry(): boolean;
  /** The service refused this `limit`, and accepted ten instead. */
  refused(limit: number): void;
  answered(
    limit: number,
    answer: { readonly count: number; readonly isCut: boolean },
  ): void;
  state(): LimitState;
  /** Takes over what another process has learned. */
  adopt(state: LimitState): void;
}

/** What processes share of one endpoint. Null: infinite, for which JSON has no number. */
export interface LimitState {
  readonly accepted: number;
  readonly refused: number | null;
  readonly cut: number | null;
  readonly retryAt: number;
}

const toShared = (limit: number): number | null =>
  limit === Number.POSITIVE_INFINITY ? null : limit;
const fromShared = (limit: number | null): number => limit ?? Number.POSITIVE_INFINITY;

/** How long a maximum is believed before one page asks for its whole size again. Unit: milliseconds. */
const RETRY_AFTER_MS = 600_000;

/** The highest first. */
const USUAL_MAXIMUMS = [100, 50, 20];

export function createKnownLimits(
  onChange: () => void,
  now: () => number = Date.now,
): KnownLimits {
  let accepted = SAFE_LIMIT;
  // A refusal says nothing about a lower `limit`, and a forged cursor may have asked for a very high one.
  let refused = Number.POSITIVE_INFINITY;
  let cut = Number.POSITIVE_INFINITY;
  let retryAt = 0;
  const believe = () => {
    retryAt = now() + RETRY_AFTER_MS;
  };
  const longest = () => {
    const known = Math.min(
      refused === Number.POSITIVE_INFINITY ? refused : accepted,
      cut,
    );
    return known === Number.POSITIVE_INFINITY ? null : known;
  };
  let reported: number | null = null;
  const report = () => {
    if (longest() === reported) return;
    reported = longest();
    onChange();
  };

  return {
    limitFor: (limit) => Math.min(limit < refused ? limit : accepted, cut),
    accepts: (limit) => limit <= Math.min(accepted, cut),
    guess: () =>
      refused === Number.POSITIVE_INFINITY
        ? null
        : (USUAL_MAXIMUMS.find((one) => one > accepted && one < refused) ?? null),
    longest,
    takeRetry() {
      if (now() < retryAt) return false;
      believe();
      return true;
    },
    refused(limit) {
      refused = Math.min(refused, limit);
      if (accepted >= refused) accepted = SAFE_LIMIT;
      believe();
      report();
    },
    answered(limit, { count, isCut }) {
      if (limit >= refused) refused = Number.POSITIVE_INFINITY;
      accepted = Math.max(accepted, limit);
      if (isCut) {
        // Cut below the known maximum: it is lower now, or not always the same. The next page learns it anew.
        const isKnown = limit <= cut && cut !== Number.POSITIVE_INFINITY;
        cut = isKnown ? Number.POSITIVE_INFINITY : Math.max(count, SAFE_LIMIT);
        believe();
      } else if (count > cut) cut = Number.POSITIVE_INFINITY;
      report();
    },
    state: () => ({
      accepted,
      refused: toShared(refused),
      cut: toShared(cut),
      retryAt,
    }),
    adopt(state) {
      accepted = state.accepted;
      refused = fromShared(state.refused);
      cut = fromShared(state.cut);
      retryAt = state.retryAt;
      reported = longest();
    },
  };
}
