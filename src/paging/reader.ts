import { RestStatusError } from '../rest/errors.ts';
import type { List, Page } from '../rest/list.ts';
import { encodeQuery, type Query } from '../rest/send.ts';
import { PageOutOfReachError } from './errors.ts';
import { type LimitMemory, SAFE_LIMIT } from './known-limits.ts';
import type { PagingStrategy, Reader } from './strategy.ts';

/** Open point: maximum limit. How a service may refuse a `limit` that is too high. */
const REFUSALS: readonly number[] = [400, 422];

export interface ReaderBounds {
  /** The most calls one list field may make, whatever its price. */
  readonly maxCalls: number;
  /** The highest `limit` the service is known to accept; infinite if unknown. */
  readonly maxLimit: number;
  /** What the process has learned of the service's own maximum. */
  readonly limits: LimitMemory;
}

/** A list that the operation may have read in part already; a known part costs no call, unless it is read again. */
export interface PartlyKnown<T> extends List<T> {
  isKnown(window: Query): boolean;
  read(window: Query, isAgain?: boolean): Promise<Page<T>>;
}

/** The calls included in the price of a page. */
export interface Allowance {
  readonly expected: number;
  /** Takes one call of the slack, if the operation has any left. */
  takeSlack(): boolean;
}

type ReaderOptions = Allowance & Pick<PagingStrategy, 'isOneCall' | 'overlap'>;

/**
 * Makes the calls of one list field, at most `maxCalls`. A refused `limit` above ten is retried once with ten. Once the
 * service has refused a `limit`, or returned fewer items than requested, no call asks for more than it gave.
 */
export function boundedReader<T>(
  list: PartlyKnown<T>,
  { maxCalls, maxLimit, limits }: ReaderBounds,
  { expected, takeSlack, isOneCall, overlap }: ReaderOptions,
): Reader<T> {
  const known = limits.of(list.key);
  const asked: Query[] = [];
  let calls = 0;
  let longest = maxLimit;
  let isRetry = false;

  /** Counts a call, or throws if it may not be made. */
  function spend(window: Query, isAgain: boolean): void {
    if (calls === maxCalls) {
      throw new PageOutOfReachError(
        `This page needs more than ${maxCalls} calls to the service. Raise MAX_CALLS_PER_LIST.`,
      );
    }
    // If another field of the operation asked for the same part, its price covers the call.
    const isFree = () => list.isKnown(window) && !isAgain;
    if (calls >= expected && !isFree() && !takeSlack()) {
      throw new PageOutOfReachError(
        `This page needs more calls to the service than the ${calls} that its price allows. Set MAX_LIMIT to the most items the service returns at once, raise MAX_REST_CALLS, or ask for fewer items.`,
      );
    }
    calls += 1;
  }

  function limitFor(wanted: number): number {
    const limit = Math.min(wanted, longest);
    if (isRetry) return limit;
    const fitting = known.limitFor(limit);
    if (fitting === limit) return limit;
    isRetry = known.takeRetry();
    if (!isRetry) longest = fitting;
    return isRetry ? limit : fitting;
  }

  return {
    limitFor,
    allows: (limit) => limit <= longest && known.limitFor(limit) === limit,
    async ask(wanted) {
      let refused: number | null = null;
      for (;;) {
        const limit = limitFor(wanted.limit);
        const window = { ...wanted, limit };
        // Positions are asked for twice only if the list has moved: what is known of them is out of date.
        const isAgain = overlap > 0 && isAmong(asked, window);
        spend(window, isAgain);
        asked.push(window);
        try {
          const page = await list.read(window, isAgain);
          const count = page.items.length;
          const isCut = page.hasMore && count < limit;
          if (isCut) longest = Math.min(maxLimit, Math.max(count, SAFE_LIMIT));
          // A page that must fit into one call gains nothing by asking for less.
          known.answered(limit, { count, isCut: isCut && !isOneCall });
          if (refused !== null) known.refused(refused);
          return page;
        } catch (error) {
          if (limit <= SAFE_LIMIT || !isRefusal(error)) throw error;
          longest = SAFE_LIMIT;
          refused = limit;
        }
      }
    },
  };
}

const isAmong = (asked: readonly Query[], window: Query): boolean =>
  asked.some((one) => encodeQuery(one) === encodeQuery(window));

const isRefusal = (error: unknown): boolean =>
  error instanceof RestStatusError && REFUSALS.includes(error.details.status);
