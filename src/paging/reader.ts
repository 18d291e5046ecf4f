import { setTimeout as sleep } from 'node:timers/promises';
import { OperationalError, RestStatusError } from '../rest/errors.ts';
import type { List, Page } from '../rest/list.ts';
import { encodeQuery, type Query } from '../rest/send.ts';
import { OutOfCallsError } from './errors.ts';
import type { EndpointMemory } from './known-endpoints.ts';
import { SAFE_LIMIT } from './known-limits.ts';
import type { Answer, CallStyle, Reader } from './strategy.ts';

/** Open point: maximum limit. How a service may refuse a `limit` that is too high. */
const REFUSALS: readonly number[] = [400, 422];

export interface ReaderBounds {
  /** The most calls one list field may make, whatever its price. */
  readonly maxCalls: number;
  /** The highest `limit` the service is known to accept; infinite if unknown. */
  readonly maxLimit: number;
  /** What the process has learned of the service. */
  readonly endpoints: EndpointMemory;
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

interface ReaderOptions extends Allowance {
  readonly style: CallStyle;
}

/**
 * Makes the calls of one list field, at most `maxCalls`. A refused `limit` above ten is retried once with ten. Once the
 * service has refused a `limit`, or returned fewer items than requested, no call asks for more than it gave.
 */
export function boundedReader<T>(
  list: PartlyKnown<T>,
  { maxCalls, maxLimit, endpoints }: ReaderBounds,
  { expected, takeSlack, style }: ReaderOptions,
): Reader<T> {
  const endpoint = endpoints.of(list.key);
  const known = endpoint.limits;
  const asked: Query[] = [];
  let calls = 0;
  /** The calls of trials, which the price of the page does not include. */
  let trials = 0;
  let longest = maxLimit;
  let isRetry = false;

  /** Counts a call, or throws if it may not be made. */
  function spend(window: Query, isAgain: boolean): void {
    if (calls === maxCalls) {
      throw new OutOfCallsError(
        `This page needs more than ${maxCalls} calls to the service. Raise MAX_CALLS_PER_LIST.`,
      );
    }
    // If another field of the operation asked for the same part, its price covers the call.
    const isFree = () => list.isKnown(window) && !isAgain;
    if (calls - trials >= expected && !isFree() && !takeSlack()) {
      throw new OutOfCallsError(
        'This page needs more calls to the service than its operation may still make. Set MAX_LIMIT to the most items that the service returns at once, raise MAX_REST_CALLS, or ask for fewer items.',
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

  const reader: Reader<T> = {
    endpoint,
    style,
    limitFor,
    allows: (limit) => limit <= longest && known.limitFor(limit) === limit,
    async ask(wanted, hasRead = false) {
      let refused: number | null = null;
      const before = longest;
      for (;;) {
        const limit = limitFor(wanted.limit);
        const window = { ...wanted, limit };
        // Positions are asked for twice only if the list has moved: what is known of them is out of date.
        const isAgain = reader.style.overlap > 0 && isAmong(asked, window);
        spend(window, isAgain);
        asked.push(window);
        try {
          const page = await list.read(window, isAgain);
          const count = page.items.length;
          const isCut = page.hasMore && count < limit;
          if (isCut) longest = Math.min(maxLimit, Math.max(count, SAFE_LIMIT));
          // A page that must fit into one call gains nothing by asking for less.
          known.answered(limit, { count, isCut: isCut && !reader.style.isOneCall });
          if (refused !== null) {
            known.refused(refused);
            longest = Math.min(maxLimit, known.limitFor(refused));
          }
          return page;
        } catch (error) {
          if (limit <= SAFE_LIMIT || !isRefusal(error)) {
            // What is refused with ten as well is not refused for its `limit`, but perhaps for a parameter.
            if (refused !== null) longest = before;
            throw error;
          }
          if (hasRead) {
            known.refused(limit);
            longest = Math.min(maxLimit, known.limitFor(limit));
            return { items: [], hasMore: true };
          }
          longest = SAFE_LIMIT;
          refused = limit;
        }
      }
    },
    async tryOut(window) {
      // The page itself still needs a call.
      if (calls + 1 >= maxCalls || !takeSlack()) return null;
      calls += 1;
      trials += 1;
      const late = sleep(LONGEST_TRIAL_MS, 'trouble' as const, { ref: false });
      const answer = await Promise.race([list.read(window).catch(toAnswer), late]);
      const isWhole = typeof answer === 'object' && answer.items.length >= window.limit;
      if (isWhole) longest = Math.min(maxLimit, Math.max(longest, window.limit));
      return answer;
    },
  };
  return reader;
}

/** How long a page waits for the answer to a trial. Unit: milliseconds. */
const LONGEST_TRIAL_MS = 2000;
/** These depend on the caller or the moment, and not on the parameter. */
const NO_REFUSALS: readonly number[] = [401, 408, 425, 429];

function toAnswer(error: unknown): Exclude<Answer<never>, object> {
  if (!(error instanceof OperationalError)) throw error;
  const status = error instanceof RestStatusError ? error.details.status : 0;
  const isRefused = status >= 400 && status <= 499 && !NO_REFUSALS.includes(status);
  return isRefused ? 'refused' : 'trouble';
}

const isAmong = (asked: readonly Query[], window: Query): boolean =>
  asked.some((one) => encodeQuery(one) === encodeQuery(window));

const isRefusal = (error: unknown): boolean =>
  error instanceof RestStatusError && REFUSALS.includes(error.details.status);
