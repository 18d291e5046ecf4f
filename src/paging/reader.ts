import { setTimeout as sleep } from 'node:timers/promises';
import { OperationalError, RestStatusError } from '../rest/errors.ts';
import type { List, Page } from '../rest/list.ts';
import { encodeQuery, type Query } from '../rest/path.ts';
import { isBadValue, isRefusedRequest } from '../rest/status.ts';
import { OutOfCallsError } from './errors.ts';
import type { EndpointMemory, KnownEndpoint } from './known-endpoints.ts';
import { SAFE_LIMIT } from './known-limits.ts';
import type { TrialRun } from './known-paging.ts';

/** Why a trial brought no page: the service refuses the parameter, its answer cannot be read, or no call is left. */
export type NoPage = 'refused' | 'trouble' | 'no call';

/** How the calls of a strategy relate to one another. */
export interface CallStyle {
  /** Whether a page must fit into one call, because the service has no parameter to continue a list. */
  readonly isOneCall: boolean;
  /** How many known items each further call repeats, to detect shifts. */
  readonly overlap: number;
  /** Whether usual maximums are tried below a refused `limit`. */
  readonly triesMaximums?: boolean;
}

/** A part of a list, with its paging parameters. */
export type Asked = Query & { readonly limit: number };

/** Bounds of one list field. */
export interface PageBounds {
  /** Unit: items. */
  readonly maxPageSize: number;
  /** The most calls one list field may make, whatever its price. */
  readonly maxCalls: number;
  /** The highest `limit` the service is known to accept; infinite if unknown. */
  readonly maxLimit: number;
  /** What the process has learned of the service. */
  readonly endpoints: EndpointMemory;
}

/** A list that the operation may have read in part already; a known part costs no call, unless it is read again. */
export interface PartlyKnown<T> extends Omit<List<T>, 'filtersById' | 'times'> {
  /** Without this, none is known. */
  isKnown?(window: Query): boolean;
  read(window: Query, isAgain?: boolean): Promise<Page<T>>;
}

/** The calls that an operation may make beyond its price. */
export interface Slack {
  /** Takes one call; false if none is left. */
  takeSlack(): boolean;
}

interface ReaderOptions {
  /** How many calls the price of the page includes. */
  readonly expected: number;
  readonly budget: Slack;
  /** How the first calls are made. */
  readonly style: CallStyle;
}

/**
 * Makes the calls of one list field, at most `maxCalls`. A refused `limit` above ten is retried once with ten. Once the
 * service has refused a `limit`, or returned fewer items than requested, the page asks for no more than that.
 */
export class Reader<T> {
  /** What the process knows of the list's endpoint. */
  readonly endpoint: KnownEndpoint;
  /** The longest page to ask for when a list is read in parts. Unit: items. */
  readonly maxPageSize: number;
  /** The strategy that the next calls are made for: one that chooses among others sets it. */
  style: CallStyle;
  readonly #list: PartlyKnown<T>;
  #maxCalls: number;
  readonly #maxLimit: number;
  readonly #allowed: ReaderOptions;
  readonly #asked: Query[] = [];
  #calls = 0;
  /** The calls of trials, which the price of the page does not include. */
  #trials = 0;
  #longest: number;
  #isRetry = false;

  constructor(
    list: PartlyKnown<T>,
    { maxPageSize, maxCalls, maxLimit, endpoints }: PageBounds,
    options: ReaderOptions,
  ) {
    this.endpoint = endpoints.of(list.key, list.caller);
    this.maxPageSize = maxPageSize;
    this.style = options.style;
    this.#list = list;
    this.#maxCalls = maxCalls;
    this.#maxLimit = maxLimit;
    this.#allowed = options;
    this.#longest = maxLimit;
  }

  /** How many items past the page to read: one while the service leaves items out, since `has_more` may then be wrong. */
  get ahead(): number {
    return this.endpoint.limits.leavesOut() ? 1 : 0;
  }

  /** The `limit` to ask for where this one is wanted: lower if the service is known not to return as many at once. */
  limitFor(wanted: number): number {
    const { limits } = this.endpoint;
    const limit = Math.min(wanted, this.#longest);
    if (this.#isRetry) return limit;
    const fitting = limits.limitFor(limit);
    if (fitting === limit) return limit;
    this.#isRetry = limits.takeRetry();
    if (!this.#isRetry) this.#longest = fitting;
    return this.#isRetry ? limit : fitting;
  }

  /** Whether the service is not known to refuse this `limit`, or to return fewer items. */
  allows(limit: number): boolean {
    return limit <= this.#longest && this.endpoint.limits.limitFor(limit) === limit;
  }

  /**
   * Asks the service for one part of the list. If the service refuses the `limit`, asks again with ten; or, if as many
   * have been read with a lower one, returns no items. Throws OutOfCallsError at once if the call may not be made.
   */
  ask(wanted: Asked, hasRead = false): Promise<Page<T>> {
    const limit = this.limitFor(wanted.limit);
    const read = this.#read({ ...wanted, limit });
    // Not an async function, which costs more: nearly every page is read at the first attempt.
    return read.then(
      (page) => this.#noteAnswer(limit, page),
      (error) => {
        if (limit <= SAFE_LIMIT || !isRefusedLimit(error)) throw error;
        return hasRead ? this.#endAt(limit) : this.#askAgain(wanted, limit);
      },
    );
  }

  /** The service has refused this `limit`: asks with ten. */
  async #askAgain(wanted: Asked, refused: number): Promise<Page<T>> {
    const before = this.#longest;
    this.#longest = SAFE_LIMIT;
    const limit = this.limitFor(wanted.limit);
    const read = this.#read({ ...wanted, limit });
    try {
      const page = this.#noteAnswer(limit, await read);
      this.#lower(refused);
      if (this.style.triesMaximums) await this.guessMaximum();
      return page;
    } catch (error) {
      // What is refused with ten as well is not refused for its `limit`, but perhaps for a parameter.
      this.#longest = before;
      throw error;
    }
  }

  /** The service has refused this `limit`, but returned what was read before: there is nothing more to have. */
  #endAt(refused: number): Page<T> {
    this.#lower(refused);
    return { items: [], hasMore: true };
  }

  #lower(refused: number): void {
    const { limits } = this.endpoint;
    limits.refused(refused);
    this.#longest = Math.min(this.#maxLimit, limits.limitFor(refused));
  }

  #noteAnswer(limit: number, page: Page<T>): Page<T> {
    const { limits } = this.endpoint;
    const isCut = limits.answered(limit, page, this.style.isOneCall);
    if (limits.leavesOut()) this.#longest = this.#maxLimit;
    else if (isCut) this.#longest = Math.min(this.#maxLimit, page.items.length);
    return page;
  }

  /** The calls made so far no longer count for MAX_CALLS_PER_LIST. They still count for MAX_REST_CALLS. */
  restart(): void {
    this.#maxCalls += this.#calls;
  }

  /** Makes a call; throws if it may not be made. */
  #read(window: Asked): Promise<Page<T>> {
    // The same positions are read again only after the list moved: the known page is out of date.
    const isAgain = this.style.overlap > 0 && isAmong(this.#asked, window);
    this.#spend(window, isAgain);
    this.#asked.push(window);
    return this.#list.read(window, isAgain);
  }

  #spend(window: Asked, isAgain: boolean): void {
    const { expected, budget } = this.#allowed;
    if (this.#calls === this.#maxCalls) {
      throw new OutOfCallsError(
        `This page needs more than ${this.#maxCalls} calls to the service. Raise MAX_CALLS_PER_LIST.`,
      );
    }
    const isPriced = this.#calls - this.#trials < expected;
    // If another field of the operation asked for the same part, its price covers the call.
    const isFree = isPriced || (this.#list.isKnown?.(window) && !isAgain);
    if (!isFree && !budget.takeSlack()) {
      throw new OutOfCallsError(
        'This page needs more calls to the service than its operation may still make. Set MAX_LIMIT to the most items that the service returns at once, raise MAX_REST_CALLS, or ask for fewer items.',
      );
    }
    this.#calls += 1;
  }

  /** Makes a trial call, if the operation and this list field can spare one. `run`: counts it. */
  async tryOut(window: Asked, run?: TrialRun): Promise<Page<T> | NoPage> {
    // The page itself still needs a call.
    if (this.#calls + 1 >= this.#maxCalls || !this.#allowed.budget.takeSlack())
      return 'no call';
    run?.noteCall();
    this.#calls += 1;
    this.#trials += 1;
    const late = sleep(LONGEST_TRIAL_MS, 'trouble' as const, { ref: false });
    const answer = await Promise.race([this.#list.read(window).catch(toAnswer), late]);
    const isWhole = typeof answer === 'object' && answer.items.length >= window.limit;
    if (isWhole) {
      const longest = Math.max(this.#longest, window.limit);
      this.#longest = Math.min(this.#maxLimit, longest);
    }
    return answer;
  }

  /**
   * After a refused `limit`, tries the usual maximums below it: otherwise all pages would be read in parts of ten. Without a
   * run, for a caller to which a style applies that another one has learned.
   */
  async guessMaximum(run?: TrialRun): Promise<void> {
    const { limits } = this.endpoint;
    while (run?.hasCall() ?? true) {
      const limit = limits.takeGuess();
      if (limit === null) return;
      const answer = await this.tryOut({ limit }, run);
      if (answer === 'no call' || answer === 'trouble') return;
      if (answer !== 'refused') {
        limits.answered(limit, answer);
        return;
      }
      limits.refused(limit);
    }
  }
}

/** How long a page waits for the answer to a trial. Unit: milliseconds. */
const LONGEST_TRIAL_MS = 2000;

function toAnswer(error: unknown): NoPage {
  if (!(error instanceof OperationalError)) throw error;
  const status = error instanceof RestStatusError ? error.details.status : 0;
  return isRefusedRequest(status) ? 'refused' : 'trouble';
}

const isAmong = (asked: readonly Query[], window: Asked): boolean =>
  asked.some((one) => encodeQuery(one) === encodeQuery(window));

/** Open point: maximum limit. */
const isRefusedLimit = (error: unknown): boolean =>
  error instanceof RestStatusError && isBadValue(error.details.status);
