import { type Facts, NO_FACTS } from '../rest/facts.ts';
import { DEFAULT_PAGE_SIZE } from '../rest/list.ts';

/** A `limit` that every service accepts. */
export const SAFE_LIMIT = DEFAULT_PAGE_SIZE;

/** What a process has learned of the highest `limit` of one list endpoint. Open point: maximum limit. */
interface KnownLimits {
  /** The `limit` to ask for where this one is wanted: lower if the service refused as much, or returns fewer items. */
  limitFor(limit: number): number;
  /** Whether to ask for more than is known to be accepted, once: the service may have raised its maximum. */
  takeRetry(): boolean;
  /** The service refused this `limit`, and accepted ten instead. */
  refused(limit: number): void;
  answered(
    limit: number,
    answer: { readonly count: number; readonly isCut: boolean },
  ): void;
}

/** What a process has learned, by endpoint. All operations share it, so a maximum is met once and not once a page. */
export interface LimitMemory {
  /** `key` is that of a list: the path, and the filters after `?`. */
  of(key: string): KnownLimits;
}

/** How long a maximum is believed before one page asks for its whole size again. Unit: milliseconds. */
const RETRY_AFTER_MS = 600_000;
/** The interface has two list endpoints. If there are ever more than this, all are learned anew. Unit: endpoints. */
const MAX_ENDPOINTS = 16;

/** With the path of an endpoint, the key under which processes share its limits. */
const LIMITS_FACT = 'limits of ';

export function createLimitMemory(
  now: () => number = Date.now,
  facts: Facts = NO_FACTS,
): LimitMemory {
  const endpoints = new Map<string, SharedLimits>();
  function ofPath(path: string): SharedLimits {
    const known = endpoints.get(path);
    if (known !== undefined) return known;
    if (endpoints.size >= MAX_ENDPOINTS) endpoints.clear();
    const fresh = createKnownLimits(now, (state) =>
      facts.share(`${LIMITS_FACT}${path}`, state),
    );
    endpoints.set(path, fresh);
    return fresh;
  }
  facts.listen((key, fact) => {
    if (key.startsWith(LIMITS_FACT))
      ofPath(key.slice(LIMITS_FACT.length)).adopt(fact as LimitState);
  });
  return {
    of(key) {
      const query = key.indexOf('?');
      return ofPath(query === -1 ? key : key.slice(0, query));
    },
  };
}

/** What processes share of one endpoint. Null: infinite, for which JSON has no number. */
interface LimitState {
  readonly accepted: number;
  readonly refused: number | null;
  readonly cut: number | null;
  readonly retryAt: number;
}

interface SharedLimits extends KnownLimits {
  /** Takes over what another process has learned. */
  adopt(state: LimitState): void;
}

const toShared = (limit: number): number | null =>
  limit === Number.POSITIVE_INFINITY ? null : limit;
const fromShared = (limit: number | null): number => limit ?? Number.POSITIVE_INFINITY;

function createKnownLimits(
  now: () => number,
  share: (state: LimitState) => void,
): SharedLimits {
  let accepted = SAFE_LIMIT;
  // A refusal says nothing about a lower `limit`, and a forged cursor may have asked for a very high one.
  let refused = Number.POSITIVE_INFINITY;
  let cut = Number.POSITIVE_INFINITY;
  let retryAt = 0;
  /** Whether something has changed that was not shared. */
  let isNews = false;
  const believe = () => {
    retryAt = now() + RETRY_AFTER_MS;
    isNews = true;
  };
  const tell = () => {
    if (!isNews) return;
    isNews = false;
    share({ accepted, refused: toShared(refused), cut: toShared(cut), retryAt });
  };

  return {
    limitFor: (limit) => Math.min(limit < refused ? limit : accepted, cut),
    takeRetry() {
      if (now() < retryAt) return false;
      believe();
      tell();
      return true;
    },
    refused(limit) {
      refused = Math.min(refused, limit);
      if (accepted >= refused) accepted = SAFE_LIMIT;
      believe();
      tell();
    },
    answered(limit, { count, isCut }) {
      isNews = limit > accepted || limit >= refused;
      if (limit >= refused) refused = Number.POSITIVE_INFINITY;
      accepted = Math.max(accepted, limit);
      if (isCut) {
        // Cut below the known maximum: it is lower now, or not always the same. The next page learns it anew.
        const isKnown = limit <= cut && cut !== Number.POSITIVE_INFINITY;
        cut = isKnown ? Number.POSITIVE_INFINITY : Math.max(count, SAFE_LIMIT);
        believe();
      } else if (count > cut) {
        cut = Number.POSITIVE_INFINITY;
        isNews = true;
      }
      tell();
    },
    adopt(state) {
      accepted = state.accepted;
      refused = fromShared(state.refused);
      cut = fromShared(state.cut);
      retryAt = state.retryAt;
    },
  };
}
