import { RestStatusError } from '../rest/errors.ts';
import { DEFAULT_PAGE_SIZE, type List } from '../rest/list.ts';
import type { Query } from '../rest/send.ts';
import { PageOutOfReachError } from './errors.ts';
import type { Reader } from './strategy.ts';

/** A `limit` that every service accepts. */
export const SAFE_LIMIT = DEFAULT_PAGE_SIZE;
/** Open point: maximum limit. How a service may refuse a `limit` that is too high. */
const REFUSALS: readonly number[] = [400, 422];

export interface ReaderBounds {
  /** The most calls one list field may make, whatever its price. */
  readonly maxCalls: number;
  /** The highest `limit` the service is known to accept; infinite if unknown. */
  readonly maxLimit: number;
}

/** A list of which the operation may have read parts already; reading such a part again costs no call. */
export interface PartlyKnown<T> extends List<T> {
  isKnown(window: Query): boolean;
}

/** The calls included in the price of a page. */
export interface Allowance {
  readonly expected: number;
  /** Takes one call of the slack, if the operation has any left. */
  takeSlack(): boolean;
}

/**
 * Makes the calls of one list field, at most `maxCalls`. A refused `limit` above ten is retried once with ten. Once the
 * service has returned fewer items than requested, no call asks for more than that.
 */
export function boundedReader<T>(
  list: PartlyKnown<T>,
  { maxCalls, maxLimit }: ReaderBounds,
  { expected, takeSlack }: Allowance,
): Reader<T> {
  let calls = 0;
  let longest = maxLimit;

  /** Counts a call, or throws if it may not be made. */
  function spend(window: Query): void {
    if (calls === maxCalls) {
      throw new PageOutOfReachError(
        `This page needs more than ${maxCalls} calls to the service. Raise MAX_CALLS_PER_LIST.`,
      );
    }
    // If another field of the operation asked for the same part, its price covers the call.
    if (calls >= expected && !list.isKnown(window) && !takeSlack()) {
      throw new PageOutOfReachError(
        'This page needs more calls to the service than its price allows. Set MAX_LIMIT to the most items the service returns at once, raise MAX_REST_CALLS, or ask for fewer items.',
      );
    }
    calls += 1;
  }

  return {
    async ask(asked) {
      for (;;) {
        const limit = Math.min(asked.limit, longest);
        const window = { ...asked, limit };
        spend(window);
        try {
          const page = await list.read(window);
          if (page.hasMore && page.items.length < limit) {
            longest = Math.min(maxLimit, Math.max(page.items.length, SAFE_LIMIT));
          }
          return page;
        } catch (error) {
          if (limit <= SAFE_LIMIT || !isRefusal(error)) throw error;
          longest = SAFE_LIMIT;
        }
      }
    },
    get longest() {
      return longest;
    },
  };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof RestStatusError && REFUSALS.includes(error.details.status);
