import { RestStatusError } from '../rest/errors.ts';
import { DEFAULT_PAGE_SIZE, type List, type Page } from '../rest/list.ts';
import type { Query } from '../rest/send.ts';
import { PageOutOfReachError } from './errors.ts';
import type { Reader } from './strategy.ts';

/** A `limit` no service refuses. */
export const SAFE_LIMIT = DEFAULT_PAGE_SIZE;
/** Open point: maximum `limit`. A service that refuses one answers so. */
const REFUSALS: readonly number[] = [400, 422];

export interface ReaderBounds {
  /** Calls one list field may make, whatever it was priced at. */
  readonly maxCalls: number;
  /** The greatest `limit` the service is known to take; infinite if none is known. */
  readonly maxLimit: number;
}

/** A list of which some parts have been asked for in the same operation: to ask for them again costs no call. */
export interface PartlyKnown<T> extends List<T> {
  isKnown(window: Query): boolean;
}

/** The calls a page was priced at. */
export interface Allowance {
  readonly expected: number;
  /** Takes one more, if the operation has any left. */
  takeSlack(): boolean;
}

/**
 * The calls one list field makes, at most `maxCalls`. A refused `limit` above ten is asked once more with ten; none
 * longer than what the service has been seen to give is asked for afterwards.
 */
export function boundedReader<T>(
  list: PartlyKnown<T>,
  { maxCalls, maxLimit }: ReaderBounds,
  { expected, takeSlack }: Allowance,
): Reader<T> {
  let calls = 0;
  let longest = maxLimit;

  async function read(window: Query & { limit: number }): Promise<Page<T>> {
    if (calls === maxCalls) {
      throw new PageOutOfReachError(
        `This page needs more than ${maxCalls} calls to the service: raise MAX_CALLS_PER_LIST.`,
      );
    }
    // What another field of the operation has asked for was paid there.
    if (calls >= expected && !list.isKnown(window) && !takeSlack()) {
      throw new PageOutOfReachError(
        'This page needs more calls to the service than it was priced at: set MAX_LIMIT to what the service gives at once, raise MAX_REST_CALLS, or ask for less.',
      );
    }
    calls += 1;
    const page = await list.read(window);
    if (page.hasMore && page.items.length < window.limit) {
      longest = Math.min(maxLimit, Math.max(page.items.length, SAFE_LIMIT));
    }
    return page;
  }

  return {
    async ask(window) {
      const limit = Math.min(window.limit, longest);
      try {
        return await read({ ...window, limit });
      } catch (error) {
        if (limit <= SAFE_LIMIT || !isRefusal(error)) throw error;
        const page = await read({ ...window, limit: SAFE_LIMIT });
        longest = SAFE_LIMIT;
        return page;
      }
    },
    get longest() {
      return longest;
    },
  };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof RestStatusError && REFUSALS.includes(error.details.status);
