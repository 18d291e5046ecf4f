import { hasLeft } from './abort.ts';
import type { Layer } from './chain.ts';
import { type Call, OverloadedError, RestNetworkError } from './errors.ts';

/** `open`: nothing is sent. `half-open`: a trial call is in flight, to see whether the service is back. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/**
 * A circuit breaker. While the service is down, calls fail at once: the service gets no load, and callers do not wait.
 *
 *              half of >= 20 calls in 10 s failed
 *     closed ------------------------------------> open
 *        ^                                         |  ^
 *        | the trial              after 1 s, the   |  | the trial fails
 *        | succeeds          next call is a trial  v  |
 *        +------------------------------------- half-open    (1 s after a trial began, the next call is a trial too)
 */
export interface Breaker {
  /** Throws OverloadedError at once while the service is considered down. */
  readonly layer: Layer;
  readonly state: BreakerState;
}

export interface BreakerOptions {
  /** Whether any connection to the service was open at or after `since`, on the clock of `now`. */
  readonly hadConnection: (since: number) => boolean;
  /** Unit: milliseconds. */
  readonly now?: () => number;
}

/** With fewer calls, the share of failures means too little to open the circuit. */
const MIN_CALLS = 20;
const WINDOW_SECONDS = 10;
/** The time before the first trial, and between trials. Unit: milliseconds. */
const OPEN_MS = 1000;

/** The calls that ended in one second. */
interface Bucket {
  readonly second: number;
  calls: number;
  failures: number;
}

/** A call that was let through. Unless the circuit is closed, it is a trial. */
interface Passage {
  readonly began: number;
  readonly era: number;
}

/** What the end of a call says about the service; null: nothing. A 4xx means `well`, because the service answered. */
type Verdict = 'well' | 'failing' | null;

export function createBreaker({
  hadConnection,
  now = performance.now.bind(performance),
}: BreakerOptions): Breaker {
  let state: BreakerState = 'closed';
  /** Increases whenever the circuit opens or closes. A call of an earlier era says nothing about the present. */
  let era = 0;
  let buckets: Bucket[] = [];
  let openUntil = 0;
  let lastTrial: Passage | null = null;

  function enter(call: Call): Passage {
    const passage = { began: now(), era };
    if (state === 'closed') return passage;
    const left = openUntil - passage.began;
    if (left > 0) {
      throw new OverloadedError(
        call,
        'was not sent: the service has been failing',
        left / 1000,
      );
    }
    state = 'half-open';
    lastTrial = passage;
    // If the trial hangs, the next one does not wait for its end.
    openUntil = passage.began + OPEN_MS;
    return passage;
  }

  function leave(passage: Passage, verdict: Verdict): void {
    if (passage.era !== era) return;
    if (state === 'closed') count(verdict);
    else if (verdict === 'well') change('closed');
    // Ignore late failures of superseded trials; they must not delay the next.
    else if (passage === lastTrial) {
      state = 'open';
      // After a trial without a verdict, the next call is a trial at once.
      openUntil = now() + (verdict === null ? 0 : OPEN_MS);
    }
  }

  function count(verdict: Verdict): void {
    if (verdict === null) return;
    const second = Math.floor(now() / 1000);
    if (buckets.at(-1)?.second !== second) {
      buckets = buckets.filter((bucket) => bucket.second > second - WINDOW_SECONDS);
      buckets.push({ second, calls: 0, failures: 0 });
    }
    const current = buckets.at(-1) as Bucket;
    current.calls += 1;
    if (verdict === 'well') return;
    current.failures += 1;
    const calls = sum(buckets.map((bucket) => bucket.calls));
    const failures = sum(buckets.map((bucket) => bucket.failures));
    if (calls >= MIN_CALLS && failures * 2 >= calls) change('open');
  }

  function change(to: 'open' | 'closed'): void {
    state = to;
    era += 1;
    buckets = [];
    openUntil = now() + OPEN_MS;
  }

  function judge(error: unknown, { began }: Passage, signal: AbortSignal): Verdict {
    // A caller that leaves says nothing about the service.
    if (hasLeft(signal)) return null;
    if (!(error instanceof RestNetworkError)) return 'well';
    const neverLeft = error.kind === 'timeout' && !error.mayHaveLeft;
    // A timeout in the queue says nothing, unless no connection was open at all: then the service accepts none.
    return neverLeft && hadConnection(began) ? null : 'failing';
  }

  return {
    layer: (next) => async (request) => {
      const passage = enter(request.call);
      try {
        const answer = await next(request);
        leave(passage, answer.status >= 500 ? 'failing' : 'well');
        return answer;
      } catch (error) {
        leave(passage, judge(error, passage, request.signal));
        throw error;
      }
    },
    get state() {
      return state;
    },
  };
}

const sum = (numbers: readonly number[]) =>
  numbers.reduce((total, number) => total + number, 0);
