import { RestStatusError } from '../rest/errors.ts';
import type { List, Page } from '../rest/page.ts';
import { PageOutOfReachError } from './errors.ts';
import type { Ask } from './strategy.ts';

/** Source: Limits, the default page size: a `limit` no service refuses. */
const SAFE_LIMIT = 10;
/** Open point: maximum `limit`. A service that refuses one answers so. */
const REFUSALS: readonly number[] = [400, 422];

/**
 * The calls one list field makes, at most `maxCalls`. A refused `limit` above ten is asked once more with ten, and no
 * higher one is tried afterwards.
 */
export function boundedReader<T>(list: List<T>, maxCalls: number): Ask<T> {
  let calls = 0;
  let highestLimit = Number.POSITIVE_INFINITY;

  const read: Ask<T> = async (window): Promise<Page<T>> => {
    if (calls === maxCalls) {
      throw new PageOutOfReachError(
        `This page needs more than ${maxCalls} calls to the service: raise MAX_CALLS_PER_LIST.`,
      );
    }
    calls += 1;
    return list.read(window);
  };

  return async (window) => {
    const limit = Math.min(window.limit, highestLimit);
    try {
      return await read({ ...window, limit });
    } catch (error) {
      if (limit <= SAFE_LIMIT || !isRefusal(error)) throw error;
      const page = await read({ ...window, limit: SAFE_LIMIT });
      highestLimit = SAFE_LIMIT;
      return page;
    }
  };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof RestStatusError && REFUSALS.includes(error.details.status);
