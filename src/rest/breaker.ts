import { type Call, OverloadedError, RestNetworkError } from './errors.ts';
import type { Answer } from './exchange.ts';

/** `open`: nothing is sent. `half-open`: one call is under way to see whether the service is back. */
export type BreakerState = 'closed' | 'open' | 'half-open';

export interface Breaker {
  /** Makes a call, or throws OverloadedError at once while the service is taken to be down. */
  run(call: Call, attempt: () => Promise<Answer>, signal: AbortSignal): Promise<Answer>;
  readonly state: BreakerState;
}

/** It opens when at least half of at least so many calls failed ... */
const MIN_CALLS = 20;
/** ... within so many seconds. */
const WINDOW_SECONDS = 10;
/** How long it stays open before one call is let through. Unit: milliseconds. */
const OPEN_MS = 1000;

/** What happened in one second. */
interface Bucket {
  readonly second: number;
  calls: number;
  failures: number;
}

/** Spares a service that is down, and callers the wait for it. A 4xx never counts: it is an answer. */
export function createBreaker(
  now: () => number = performance.now.bind(performance),
): Breaker {
  let buckets: Bucket[] = [];
  let state: BreakerState = 'closed';
  let openUntil = 0;

  function enter(call: Call): void {
    if (state === 'closed') return;
    const left = openUntil - now();
    // While one call looks whether the service is back, the others wait no longer than for that.
    if (state === 'half-open' || left > 0) {
      throw new OverloadedError(
        call,
        'not made: the service has been failing',
        left / 1000,
      );
    }
    state = 'half-open';
  }

  function leave(failed: boolean, isProbe: boolean): void {
    const at = now();
    if (isProbe) {
      state = failed ? 'open' : 'closed';
      openUntil = failed ? at + OPEN_MS : 0;
      buckets = [];
      return;
    }
    if (state !== 'closed') return; // it began before, and says nothing of now
    const second = Math.floor(at / 1000);
    if (buckets.at(-1)?.second !== second) {
      buckets = buckets.filter((bucket) => bucket.second > second - WINDOW_SECONDS);
      buckets.push({ second, calls: 0, failures: 0 });
    }
    const current = buckets.at(-1) as Bucket;
    current.calls += 1;
    if (!failed) return;
    current.failures += 1;
    const calls = sum(buckets.map((bucket) => bucket.calls));
    if (
      calls >= MIN_CALLS &&
      sum(buckets.map((bucket) => bucket.failures)) * 2 >= calls
    ) {
      state = 'open';
      openUntil = at + OPEN_MS;
    }
  }

  return {
    async run(call, attempt, signal) {
      enter(call);
      const isProbe = state === 'half-open';
      try {
        const answer = await attempt();
        leave(answer.status >= 500, isProbe);
        return answer;
      } catch (error) {
        const isLeft = signal.aborted && !isTimeUp(signal);
        if (!isLeft) leave(error instanceof RestNetworkError, isProbe);
        // A caller who leaves says nothing of the service: the next call looks again.
        else if (isProbe) state = 'open';
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

/** Whether the operation's time was up, which a slow service must answer for; or the caller has left. */
export const isTimeUp = ({ reason }: AbortSignal): boolean =>
  reason instanceof Error && reason.name === 'TimeoutError';
